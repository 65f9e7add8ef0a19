"""The order of the packages: each imports only what stands before it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ORDER = ("envs", "agents", "runs", "evaluation", "training", "sweeps", "playing", "server")
# Commands, not packages: nothing imports them.
LAST = ("sweeps", "playing", "server")


def imported(path):
    """The packages of the project that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names.add(node.module)
    return {name.partition(".")[0] for name in names} & set(ORDER)


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_what_stands_before_it(package):
    files = [
        path
        for path in (ROOT / package).rglob("*.py")
        # What training leaves lies beside the package of that name.
        if package != "runs" or path.parent == ROOT / package
    ]
    assert files
    allowed = {package, *ORDER[: ORDER.index(package)]} - (set(LAST) - {package})
    for path in files:
        assert imported(path) <= allowed, path


def test_the_packages_are_those_of_the_checkout():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages == set(ORDER)
