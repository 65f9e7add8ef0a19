"""README, docs and the heads of recipes and programs: links and files exist, commands run as shown.

A command counts as running if its own parser takes the arguments, with the placeholders in capitals
replaced by a number; one of a benchmark or an example, if the program has its options.
"""

import ast
import re
import shlex

import pytest

import hangman_lab
from hangman_lab import agents, envs, evaluation
from hangman_lab.agents import AGENTS
from hangman_lab.envs.rewards import HANGMAN_REWARDS
from hangman_lab.evaluation.command_line import parser as evaluate
from hangman_lab.playing.command_line import parser as play
from hangman_lab.run_files.config import find_config, load_config
from hangman_lab.server.command_line import parser as serve
from hangman_lab.sweeps.command_line import parser as sweep
from hangman_lab.training.command_line import parser as train
from tests.processes import PACKAGES, ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / ".github" / "CONTRIBUTING.md",
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("pretrained/*/README.md"),
]
PROGRAMS = [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("examples/*.py")]
RECIPES = [*ROOT.glob("configs/**/*.yaml")]
PARSERS = {
    "train.py": train, "evaluate.py": evaluate, "play.py": play, "sweep.py": sweep,
    "serve.py": serve,
}  # fmt: skip
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


def anchors(page):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.fixture(params=PAGES, ids=name_of)
def page(request):
    return request.param


@pytest.mark.parametrize(
    ("page", "names"),
    [("baselines.md", AGENTS), ("environment.md", HANGMAN_REWARDS)],
)
def test_every_name_of_a_registry_is_in_the_docs(page, names):
    text = (ROOT / "docs" / page).read_text()
    assert [name for name in names if not re.search(f'[`"]{name}[`"]', text)] == []


def test_every_public_name_is_in_the_reference():
    modules = (hangman_lab, agents, envs, evaluation)
    names = {f"{module.__name__}.{name}" for module in modules for name in module.__all__}
    pages = "".join(page.read_text() for page in ROOT.glob("docs/reference/*.md"))
    assert names - set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE)) == set()


def test_links_files_and_targets_of_make_exist(page):
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link

    inline = INLINE.findall(FENCE.sub("", page.read_text()))
    paths = [path for code in inline for path in PATH.findall(code)]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    code = "\n".join([*inline, *FENCE.findall(page.read_text())])
    assert set(re.findall(r"(?:^|=\S+ )make ([a-z-]+)", code, re.MULTILINE)) <= set(targets)


def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = r"```python\n((?:import gymnasium|from hangman_lab).*?)```"
    for code in re.findall(whole, page.read_text(), re.DOTALL):
        exec(compile(code, page, "exec"), {})


@pytest.mark.parametrize("source", [*PAGES, *PROGRAMS, *RECIPES], ids=name_of)
def test_commands_run_as_shown(source):
    for script, installed, arguments in COMMAND.findall(text_of(source)):
        script = script.removeprefix("-m ") or f"{installed}.py"
        if script not in PARSERS:
            program = (ROOT / f"{script.replace('.', '/')}.py").read_text()
            program = program.replace("parser.add_words()", '"--words"')
            assert all(f'"{option}"' in program for option in OPTION.findall(arguments)), arguments
            continue
        # A synopsis has brackets around what may be left out, and dots for more.
        if re.search(r"\[-|\.\.\.|--help", arguments):
            continue
        values = re.sub(r"\b[A-Z][A-Z_]*\b", "1", arguments)
        try:
            options = PARSERS[script]().parse_args(shlex.split(values, comments=True))
        except SystemExit:
            pytest.fail(f"{script} refuses {arguments}")
        is_recipe = script == "train.py" and not re.search("--resume|--config [A-Z]", arguments)
        if is_recipe:
            load_config(find_config(options.config), options.set)
