"""README and docs: links resolve, files exist, commands take the options that are shown."""

import functools
import re
import shlex

import pytest

from run_files.config import find_config, load_config
from tests.processes import ROOT, run
from tests.test_import_order import ORDER
from training.command_line import parser as train_parser

PAGES = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("pretrained/*/README.md")]
COMMANDS = ("train.py", "evaluate.py", "play.py", "serve.py", "sweep.py")
FOLDERS = (*ORDER, "benchmarks", "configs", "deploy", "docs", "examples", "pretrained", "tests")
PATH = re.compile(rf"(?<![\w./])(?:{'|'.join(FOLDERS)})/[\w./-]*")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# A command of this checkout, its arguments up to the end of the code.
COMMAND = re.compile(r"(?:python ((?:[a-z]+/)?[a-z]\w*\.py)|hangman-(\w+)(?= --))\b([^`\n]*)")


def anchors(page):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@functools.cache
def options_of(*command):
    done = run(*command, "--help")
    assert done.returncode == 0, done.stderr
    return set(OPTION.findall(done.stdout))


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def page(request):
    return request.param


def test_links_resolve(page):
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_files_exist(page):
    text = FENCE.sub("", page.read_text())
    paths = [path for code in INLINE.findall(text) for path in PATH.findall(code)]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_examples_of_environments_run(page, capsys):
    for code in re.findall(r"```python\n(import gymnasium.*?)```", page.read_text(), re.DOTALL):
        exec(compile(code, page, "exec"), {})


def test_commands_take_the_options_shown(page, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    text = page.read_text().replace("\\\n", " ")
    ours = set().union(*(options_of(script) for script in COMMANDS))
    for script, installed, arguments in COMMAND.findall(text):
        command = (script or f"{installed}.py", *re.findall(r"^ (token|player)\b", arguments))
        assert set(OPTION.findall(arguments)) <= options_of(*command), command
        ours |= options_of(*command)
    alone = [code for code in INLINE.findall(FENCE.sub("", text)) if code.startswith("--")]
    assert set(OPTION.findall(" ".join(alone))) <= ours


def test_configs_shown_are_valid(page):
    text = page.read_text().replace("\\\n", " ")
    for script, _, arguments in COMMAND.findall(text):
        # A synopsis has brackets around what may be left out.
        if script == "train.py" and not re.search(r"\[-|--resume|--help|--config [A-Z]", arguments):
            arguments = re.sub(r"\b[A-Z]{2,}\b", "0", arguments)
            options = train_parser().parse_args(shlex.split(arguments, comments=True))
            load_config(find_config(options.config), options.set)
