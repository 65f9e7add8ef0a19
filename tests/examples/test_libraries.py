"""The programs that train with other libraries, run as a reader would run them."""

import re

import pytest

from tests.processes import run


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["DQN", "MaskablePPO"])
def test_stable_baselines_trains_and_plays_unseen_words(algorithm):
    done = run("examples.stable_baselines", algorithm, 256)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^ {algorithm} +11,643 .*%", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_rllib_trains_with_masks():
    done = run("examples.with_rllib", 1)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"[\d.]+% of unseen words won", done.stdout)) == 2
