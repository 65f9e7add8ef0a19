"""The order of the packages."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ORDER = ("envs", "agents", "run_files", "terminal", "evaluation", "training")
ORDER += ("sweeps", "playing", "server")
# Commands, not packages: nothing imports them.
LAST = ("sweeps", "playing", "server")
FILES = {
    ".".join(("hangman_lab", *path.relative_to(ROOT).with_suffix("").parts)): path
    for package in ORDER
    for path in (ROOT / package).rglob("*.py")
}


def imports(path):
    """The modules and names that a file imports, wherever in it, those for type checkers too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_earlier_packages(package):
    files = [path for module, path in FILES.items() if module.split(".")[1] == package]
    assert files
    allowed = {package, *ORDER[: ORDER.index(package)]} - (set(LAST) - {package})
    for path in files:
        names = [name.split(".") for name in imports(path)]
        found = {name[1] for name in names if name[0] == "hangman_lab" and len(name) > 1}
        assert found & set(ORDER) <= allowed, path


def test_packages_are_imported_by_their_full_names_alone():
    files = [path for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    assert len(files) > len(FILES)
    for path in files:
        # By a bare name a module would be loaded a second time.
        assert not {name.partition(".")[0] for name in imports(path)} & set(ORDER), path


def test_the_packages_are_those_of_the_checkout():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages == set(ORDER)
