"""The examples, run as a reader would run them."""

import re
from itertools import pairwise

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from examples.custom_reward import HitReward
from examples.flat_observation import FlatObservation
from tests.processes import ROOT, run

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


@pytest.fixture(autouse=True)
def _packages_are_found(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def output_of(name, *arguments):
    done = run(f"examples/{name}", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short_and_shown_in_the_docs(name):
    lines = (ROOT / "examples" / name).read_text().splitlines()
    assert len(lines) <= (200 if name == "ppo.py" else 60)
    docs = [path.read_text() for path in (ROOT / "docs").glob("*.md")]
    assert any(f"examples/{name}" in text for text in docs)


@pytest.mark.slow
def test_ppo_in_one_file_learns_to_win_unseen_words():
    printed = output_of("ppo.py", "--steps", 131_072)
    rates = [float(rate) for rate in re.findall(r"([\d.]+)% of unseen", printed)]
    assert rates[-1] > rates[0] + 1
    assert rates[-1] > 15


@pytest.mark.slow
def test_maskable_ppo_of_sb3_contrib_learns_on_the_batched_environment():
    printed = output_of("maskable_ppo.py", "--steps", 16_384)
    before, after = map(float, re.findall(r"-?[\d.]+(?= before| after)", printed))
    assert after > before


def test_a_custom_agent_is_compared_with_others():
    printed = output_of("custom_agent.py")
    rates = {
        name: float(re.search(rf"{name}.*?([\d.]+)%", printed)[1])
        for name in ("most words", "dictionary", "random")
    }
    assert rates["dictionary"] > rates["most words"] > rates["random"]


def test_a_custom_reward_pays_hits_misses_and_wins():
    env = gym.make("envs:Hangman-v0", reward=HitReward(win=5))
    env.reset(options={"word": "noon"})
    assert [env.step(ord(letter) - ord("a"))[1] for letter in "xon"] == [-1, 1, 6]
    assert "mean return" in output_of("custom_reward.py")


def test_the_flat_observation_tells_all_that_the_observation_does():
    env = FlatObservation(gym.make("envs:Hangman-v0"))
    first, _ = env.reset(options={"word": "noon"})
    seen = [first, *(env.step(ord(letter) - ord("a"))[0] for letter in "xo")]
    for vector in seen:
        assert vector in env.observation_space
    assert all(not np.array_equal(one, other) for one, other in pairwise(seen))
    assert [round(6 * float(vector[-1])) for vector in seen] == [6, 5, 5]
    assert "return" in output_of("flat_observation.py")


def test_a_recorded_game_is_an_animated_picture(tmp_path):
    path = tmp_path / "game.gif"
    printed = output_of("record_game.py", "--word", "breadcrumb", "--output", path)
    with Image.open(path) as picture:
        assert picture.is_animated
        assert picture.n_frames == int(re.search(r"(\d+) frames", printed)[1])
        assert picture.size == (640, 400)
    assert path.stat().st_size < 300_000
