"""The project as a package: built, installed elsewhere, and used from another folder."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.processes import PACKAGES, ROOT

PIP = [sys.executable, "-m", "pip", "--quiet"]
FROM_HERE = ("--no-deps", "--no-index", "--no-build-isolation")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "runs")
LENT = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})

# What README shows, and an agent that acts on what the environment returns.
PLAY = """
import gymnasium as gym
import hangman_lab

env = gym.make("hangman_lab/Hangman-v0", max_wrong=8)
agent = hangman_lab.load_pretrained()
observation, info = env.reset(options={"word": "laboratory"})
terminated = truncated = False
while not (terminated or truncated):
    observation, _, terminated, truncated, info = env.step(agent.act(observation))
assert hangman_lab.load_agent("overall-frequency").act(env.reset()[0]) < 26
print(hangman_lab.__file__, "won" if info["won"] else "lost")
"""
# A game beside packages of the same names; the environment is kept for the next installation.
BESIDE_OTHERS = """
import pickle
import sys
from pathlib import Path

import envs
import gymnasium as gym
import hangman_lab
import server

env, kept = gym.make("hangman_lab/Hangman-v0").unwrapped, Path(sys.argv[1])
if kept.exists():
    env = pickle.loads(kept.read_bytes())
env.reset(seed=0)
kept.write_bytes(pickle.dumps(env))
print(envs.OWNER, server.OWNER, env.secret)
"""
# Packages are attributes that load when they are used.
ATTRIBUTES = """
import sys
from importlib.resources import files

import hangman_lab

assert not {"numba", "pandas"} & sys.modules.keys()
assert files("hangman_lab").joinpath("py.typed").is_file()
assert files(hangman_lab.envs).joinpath("words.py").is_file()
hangman_lab.agents.make_agent("random"), hangman_lab.evaluation.compare
assert not hasattr(hangman_lab, "tests")
print(hasattr(hangman_lab, "EDITED"), hasattr(hangman_lab.envs, "EDITED"))
"""
CORE_MODULES = (
    "cloudpickle", "english_words", "farama_notifications", "gymnasium", "numpy", "PIL", "pillow",
    "typing_extensions",
)  # fmt: skip
CORE = """
import gymnasium as gym
import hangman_lab

for name in ("Hangman", "CatsAndDogs", "GuessTheWord"):
    gym.make(f"hangman_lab/{name}-v0", render_mode="rgb_array").reset(seed=0)
try:
    hangman_lab.load_pretrained()
except ImportError as error:
    print(error)
"""


def run(command, folder, status=0):
    """Run a command in a folder, without what leads to the checkout; return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy where links are text files, and training and Python have left something."""
    copy = tmp_path_factory.mktemp("checkout") / "project"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_OUT)
    for link in filter(Path.is_symlink, copy.glob("*/*")):
        target = link.readlink()
        link.unlink()
        link.write_text(str(target))
    for left in ("runs/mine/module.py", "envs/__pycache__/words.pyc"):
        (copy / left).parent.mkdir(parents=True, exist_ok=True)
        (copy / left).touch()
    return copy


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory):
    """The wheel that is built from the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], checkout)
    run([*PIP, "wheel", *FROM_HERE, "-w", folder, *folder.iterdir()], folder)
    return next(folder.glob("*.whl"))


def make_environment(folder, lent=()):
    """Make an environment that has the packages of others; return the folder of its own."""
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder.parent)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "lent.pth").write_text("".join(f"{path}\n" for path in lent))
    return packages


def pip(folder, *arguments):
    """Run pip for an environment."""
    run([*PIP, "--python", folder / "bin" / "python", *arguments], folder.parent)


def test_the_checkout_has_the_name_of_the_package():
    run([sys.executable, "-c", ATTRIBUTES], ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hangman-lab", "a b"])
def test_a_checkout_of_any_name_passes_lint(name, tmp_path, monkeypatch, tmp_path_factory):
    shutil.copytree(ROOT, tmp_path / name, symlinks=True, ignore=LEFT_OUT)
    (tmp_path / name / ".venv").symlink_to(sys.prefix)
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "mypy"))
    run(["make", "lint", "--old-file=.venv/.development"], tmp_path / name)


@pytest.mark.slow
def test_the_wheel_has_the_packages_with_their_data_and_nothing_else(checkout, wheel):
    expected = {
        f"hangman_lab/{path.relative_to(checkout)}"
        for package in (*PACKAGES, "configs", "pretrained")
        for path in (checkout / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    found = {name for name in names if ".dist-info/" not in name}
    assert found == expected | {"hangman_lab/__init__.py", "hangman_lab/py.typed"}


@pytest.mark.slow
def test_policy_and_commands_work_beside_modules_of_the_same_names(wheel, tmp_path):
    make_environment(tmp_path / "environment", LENT)
    pip(tmp_path / "environment", "install", *FROM_HERE, wheel)
    installed, folder = tmp_path / "environment" / "bin", tmp_path / "folder"
    folder.mkdir()
    for name in ("envs.py", "agents.py", "evaluation.py", "server.py"):
        (folder / name).write_text("raise ImportError('the wrong module')\n")
    path, outcome = run([installed / "python", "-c", PLAY], folder).split()
    assert Path(path).is_relative_to(tmp_path)
    assert outcome in ("won", "lost")
    table = run([installed / "hangman-evaluate", "--agents", "random", "--games", "20"], folder)
    assert "random" in table
    for name in ("train", "play", "serve", "sweep"):
        assert f"usage: hangman-{name}" in run([installed / f"hangman-{name}", "--help"], folder)
    assert len(list(folder.iterdir())) == 4


@pytest.mark.slow
def test_installed_or_editable_the_project_has_one_name_and_leaves_nothing(checkout, tmp_path):
    for name, what in (("installed", [checkout]), ("editable", ["--editable", checkout])):
        folder = tmp_path / name
        packages, python = make_environment(folder, LENT), folder / "bin" / "python"
        before = set(folder.rglob("*"))
        for other in (packages / "envs", packages / "server"):
            other.mkdir()
            (other / "__init__.py").write_text("OWNER = 'another'\n")
        pip(folder, "install", *FROM_HERE, *what)
        game = run([python, "-c", BESIDE_OTHERS, tmp_path / "environment.pickle"], tmp_path)
        assert game.startswith("another another ")
        for other in ("envs", "server"):
            shutil.rmtree(packages / other)
            if name == "installed":
                missing = run([python, "-c", f"import {other}"], tmp_path, status=1)
                assert f"ModuleNotFoundError: No module named '{other}'" in missing
        for edited in ("hangman_lab", "envs"):
            with (checkout / edited / "__init__.py").open("a") as file:
                file.write("EDITED = True\n")
        edits = run([python, "-c", ATTRIBUTES], tmp_path)
        assert edits == ("True True\n" if name == "editable" else "False False\n")
        pip(folder, "uninstall", "--yes", "hangman-lab")
        assert set(folder.rglob("*")) == before


@pytest.mark.slow
def test_the_core_needs_no_extra_and_names_the_one_that_is_missing(wheel, tmp_path):
    folder = tmp_path / "environment"
    packages = make_environment(folder)
    pip(folder, "install", *FROM_HERE, wheel)
    # The core's packages and what these need, alone.
    for module in CORE_MODULES:
        for found in Path(sysconfig.get_path("purelib")).glob(f"{module}*"):
            (packages / found.name).symlink_to(found)
    assert "pip install '.[agents]'" in run([folder / "bin" / "python", "-c", CORE], tmp_path)
    for name, extra in (("train", "train"), ("serve", "server"), ("evaluate", "agents")):
        refused = run([folder / "bin" / f"hangman-{name}"], tmp_path, status=1)
        assert refused.startswith(f"hangman-{name}: error: ")
        assert refused.count("\n") == 1
        assert f"pip install '.[{extra}]'" in refused
