"""The project as a package: built, installed elsewhere, and used from another folder."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.test_import_order import ORDER

PIP = [sys.executable, "-m", "pip", "--quiet"]

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
    """A copy of the checkout, in which training and Python have left something."""
    copy = tmp_path_factory.mktemp("checkout") / "project"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "build", "runs")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
    for left in ("runs/mine/module.py", "envs/__pycache__/words.pyc"):
        (copy / left).parent.mkdir(parents=True, exist_ok=True)
        (copy / left).touch()
    return copy


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, checkout], folder)
    return next(folder.glob("*.whl"))


def install(wheel, folder):
    """Make an environment with the wheel alone in a folder; return the folder of its packages."""
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder.parent)
    python = folder / "bin" / "python"
    run([*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel], folder.parent)
    return next(folder.glob("lib/python*/site-packages"))


@pytest.mark.slow
def test_the_wheel_has_the_packages_with_their_data_and_nothing_else(checkout, wheel):
    expected = {
        f"hangman_lab/{path.relative_to(checkout)}"
        for package in (*ORDER, "configs", "pretrained")
        for path in (checkout / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    found = {name for name in names if ".dist-info/" not in name}
    assert found == expected | {"hangman_lab/__init__.py", "hangman_lab/py.typed"}


@pytest.mark.slow
def test_policy_and_commands_work_beside_modules_of_the_same_names(wheel, tmp_path):
    packages = install(wheel, tmp_path / "environment")
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "lent.pth").write_text("\n".join(sorted(lent)) + "\n")
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
def test_the_core_needs_no_extra_and_names_the_one_that_is_missing(wheel, tmp_path):
    folder = tmp_path / "environment"
    packages = install(wheel, folder)
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
