"""README, docs and the heads of recipes and programs: links and files exist, commands run as shown.

A command counts as running if its own parser takes the arguments, with the placeholders in capitals
replaced by a number; one of a benchmark or an example, if the program has its options.
"""

import ast
import re
import shlex

import pytest

from hangman_lab.evaluation.command_line import parser as evaluate_parser
from hangman_lab.playing.command_line import parser as play_parser
from hangman_lab.run_files.config import find_config, load_config
from hangman_lab.server.command_line import parser as serve_parser
from hangman_lab.sweeps.command_line import parser as sweep_parser
from hangman_lab.training.command_line import parser as train_parser
from tests.processes import PACKAGES, ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("pretrained/*/README.md"),
]
PROGRAMS = [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("examples/*.py")]
RECIPES = [*ROOT.glob("configs/**/*.yaml")]
READ = {
    "train.py": lambda arguments: train_parser().parse_args(arguments),
    "evaluate.py": lambda arguments: evaluate_parser().parse_args(arguments),
    "play.py": lambda arguments: play_parser().parse_args(arguments),
    "sweep.py": lambda arguments: sweep_parser().parse_args(arguments),
    "serve.py": lambda arguments: serve_parser().parse_args(arguments),
}
FOLDERS = (*PACKAGES, "benchmarks", "configs", "deploy", "docs", "examples", "pretrained", "tests")
PATH = re.compile(rf"(?<![\w./])(?:{'|'.join(FOLDERS)})/[\w./-]*")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# A command of this checkout, its arguments up to the end of the code.
COMMAND = re.compile(
    r"(?:python ([a-z]\w*\.py|-m (?:benchmarks|examples)\.[a-z]\w*)|hangman-(\w+)(?= --))\b"
    r"([^`\n|&;>]*)"
)


def text_of(page):
    """A page, the docstring of a program or the comments of a recipe, without broken lines."""
    text = page.read_text()
    if page.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    elif page.suffix == ".yaml":
        text = "\n".join(line[1:] for line in text.splitlines() if line.startswith("#"))
    return text.replace("\\\n", " ")


def commands_of(page):
    """The commands of this checkout on a page: script or module, and arguments."""
    for script, installed, arguments in COMMAND.findall(text_of(page)):
        yield script.removeprefix("-m ") or f"{installed}.py", arguments


def anchors(page):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.fixture(params=PAGES, ids=name_of)
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


def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = r"```python\n((?:import gymnasium|from hangman_lab).*?)```"
    for code in re.findall(whole, page.read_text(), re.DOTALL):
        exec(compile(code, page, "exec"), {})


@pytest.mark.parametrize("source", [*PAGES, *PROGRAMS, *RECIPES], ids=name_of)
def test_commands_run_as_shown(source):
    for script, arguments in commands_of(source):
        if script not in READ:
            program = (ROOT / f"{script.replace('.', '/')}.py").read_text()
            program = program.replace("parser.add_words()", '"--words"')
            assert all(f'"{option}"' in program for option in OPTION.findall(arguments)), arguments
            continue
        # A synopsis has brackets around what may be left out, and dots for more.
        if re.search(r"\[-|\.\.\.|--help", arguments):
            continue
        values = re.sub(r"\b[A-Z][A-Z_]*\b", "1", arguments)
        try:
            options = READ[script](shlex.split(values, comments=True))
        except SystemExit:
            pytest.fail(f"{script} refuses {arguments}")
        is_recipe = script == "train.py" and not re.search("--resume|--config [A-Z]", arguments)
        if is_recipe:
            load_config(find_config(options.config), options.set)


def test_targets_of_make_exist(page):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    code = [*INLINE.findall(FENCE.sub("", page.read_text())), *FENCE.findall(page.read_text())]
    shown = re.findall(r"(?:^|=\S+ )make ([a-z-]+)", "\n".join(code), re.MULTILINE)
    assert set(shown) <= set(targets)
