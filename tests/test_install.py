"""The project as a package: built, installed elsewhere, and used from another folder."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.test_import_order import ORDER

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "--quiet"]

PLAY = """
import gymnasium as gym
import numpy as np

env = gym.make("envs:Hangman-v0", max_wrong=8)
assert gym.make_vec("envs:Hangman-v0", num_envs=2).num_envs == 2

from run_files.agents import load_run_agent
from run_files.directory import PRETRAINED, RunDirectory

agent = load_run_agent("ppo", RunDirectory.open(PRETRAINED), ())
observation, info = env.reset(options={"word": "laboratory"})
done = False
while not done:
    batch = {name: np.asarray(array)[None] for name, array in observation.items()}
    observation, _, done, _, info = env.step(agent.act(batch)[0])
print(PRETRAINED, "won" if info["won"] else "lost")
"""


def run(command, folder):
    """Run a command in a folder, without what leads to the checkout; return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout, in which training and Python have left something."""
    copy = tmp_path_factory.mktemp("checkout") / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "runs"))
    for left in ("runs/mine/config.yaml", "runs/mine/module.py", "envs/__pycache__/words.pyc"):
        (copy / left).parent.mkdir(parents=True, exist_ok=True)
        (copy / left).touch()
    return copy


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, checkout], folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of the commands of an environment with the wheel, which lends what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    python = folder / "bin" / "python"
    run([*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel], folder)
    packages = next(folder.glob("lib/python*/site-packages"))
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "lent.pth").write_text("\n".join(sorted(lent)) + "\n")
    return folder / "bin"


@pytest.mark.slow
def test_the_wheel_has_the_packages_with_their_data_and_nothing_else(checkout, wheel):
    expected = {
        str(path.relative_to(checkout))
        for package in (*ORDER, "configs", "pretrained")
        for path in (checkout / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == expected


@pytest.mark.slow
def test_policy_and_commands_find_their_files_from_another_folder(installed, tmp_path):
    folder, outcome = run([installed / "python", "-c", PLAY], tmp_path).split()
    assert Path(folder).is_relative_to(installed.parent)
    assert outcome in ("won", "lost")
    table = run([installed / "hangman-evaluate", "--agents", "ppo", "--games", "20"], tmp_path)
    assert "ppo" in table
    for name in ("train", "play", "serve", "sweep"):
        assert "usage:" in run([installed / f"hangman-{name}", "--help"], tmp_path)
    assert not list(tmp_path.iterdir())
