"""The order of the packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import environment

ROOT = Path(__file__).resolve().parent.parent
ORDER = ("envs", "agents", "run_files", "terminal", "evaluation", "training")
ORDER += ("sweeps", "playing", "server")
# Packages that only training needs; the adapter is for Stable-Baselines3.
TRAINING_ALONE = {"torch", "stable_baselines3", "sb3_contrib", "lightgbm", "tensorboard"}
ADAPTER = ROOT / "envs" / "hangman" / "sb3.py"
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
            yield str(node.module)
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


def test_only_training_needs_torch():
    for module, path in FILES.items():
        if module.split(".")[1] not in ("training", "sweeps") and path != ADAPTER:
            assert not {name.partition(".")[0] for name in imports(path)} & TRAINING_ALONE, path


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Without(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Without())
import hangman_lab
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.evaluation.command_line import main

letter = hangman_lab.load_pretrained().act(parse_observation("_ppl_"))[0]
print("letter", chr(97 + letter))
main(["--games", "20"])
"""


@pytest.mark.slow
def test_the_pretrained_policy_is_played_and_evaluated_without_them():
    code = WITHOUT.format(names=sorted(TRAINING_ALONE))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert "letter a" in done.stdout
    for agent in ("ppo", "look-ahead", "posterior"):
        assert agent in done.stdout


def test_compiled_functions_are_cached_in_our_folder():
    declares = [path for path in FILES.values() if "njit" in path.read_text()]
    assert len(declares) > 10
    for path in declares:
        names = set(imports(path))
        assert "numba.njit" not in names, f"{path}: njit is that of envs.compiled"
