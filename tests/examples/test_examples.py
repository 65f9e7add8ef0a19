import re

import numpy as np
import pytest
from PIL import Image, ImageSequence
from PIL.GifImagePlugin import GifImageFile

from hangman_lab.envs.rendering import BAD, FAINT, GOOD, INK
from tests.processes import ROOT, assert_refused, run, start


def output_of(name, *arguments):
    done = run(f"examples.{name}", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_ppo_in_one_file_learns_to_win_unseen_words():
    printed = output_of("ppo", "--steps", 131_072)
    rates = [float(rate) for rate in re.findall(r"([\d.]+)% of unseen", printed)]
    assert rates[-1] > rates[0] + 1
    assert rates[-1] > 15
    for figure in ("approx. KL", "clip fraction", "explained variance"):
        values = [float(value) for value in re.findall(rf"{figure} (-?[\d.]+)", printed)]
        assert len(values) == len(rates)
        assert all(-1 < value < 1 for value in values)


def test_a_custom_agent_is_compared_with_built_in_agents():
    printed = output_of("custom_agent")
    rates = {
        name: float(re.findall(rf"{name}.*?([\d.]+)%", printed)[0])
        for name in ("most words", "dictionary", "random")
    }
    assert rates["dictionary"] > rates["most words"] > rates["random"]


def frames_of(picture):
    """Return the frames of an animated picture, shape (frames, height, width, 3)."""
    return np.stack([frame.convert("RGB") for frame in ImageSequence.Iterator(picture)])


def test_a_recorded_game_is_an_animated_picture(tmp_path):
    path = tmp_path / "game.gif"
    printed = output_of("record_game", "--word", "breadcrumb", "--output", path)
    with GifImageFile(path) as picture:
        assert picture.is_animated
        assert picture.n_frames == int(re.findall(r"(\d+) frames", printed)[0])
        assert picture.size == (640, 400)
        frames = frames_of(picture)
    # Below the number of lives, nothing changes twice: colors are those of all frames.
    assert (frames[1:, 95:] != frames[:-1, 95:]).any(axis=-1).sum(axis=0).max() == 1
    assert path.stat().st_size < 300_000
    printed = output_of("record_game", "--word", "jazz", "--host", "evil", "--output", path)
    assert printed.endswith("8 frames, lost\n")
    with GifImageFile(path) as picture:
        last = frames_of(picture)[-1]
    for color in (BAD, FAINT, GOOD, INK):
        assert (last == color).all(axis=-1).any()


@pytest.mark.parametrize(
    ("env", "word"), [("TextHangman-v0", "keyboard"), ("CatsAndDogs-v0", "jive")]
)
def test_games_as_text_and_of_whole_words_are_recorded(env, word, tmp_path):
    path = tmp_path / "game.gif"
    printed = output_of("record_game", "--env", env, "--word", word, "--output", path)
    with GifImageFile(path) as picture:
        assert printed.endswith(f"{picture.n_frames} frames, won\n")
        frames = frames_of(picture)
    # Every guess changes the picture.
    assert (frames[1:] != frames[:-1]).any(axis=(1, 2, 3)).all()


@pytest.mark.slow
def test_win_rates_of_runs_are_plotted_by_games_and_by_steps(tiny_run, tmp_path):
    picture, path = tmp_path / "curves.png", tiny_run[0].path
    options = ("--runs", f"tiny={path},{path}", "--levels", "best=0.9", "--plot", picture)
    assert re.search(
        r"tiny: [\d.]+% after [\d,]+ games", output_of("learning_curves", *options, "--by-games")
    )
    kinds = ("--kinds", "eval/win_rate", "rollout/win_rate", "--baselines")
    printed = output_of("learning_curves", *options, *kinds)
    assert re.search(r"tiny, letters drawn, training words: [\d.]+% after [\d,]+ steps", printed)
    with Image.open(picture) as image:
        assert min(image.size) > 500


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["DQN", "MaskablePPO"])
def test_stable_baselines_trains_and_plays_unseen_words(algorithm):
    printed = output_of("stable_baselines", algorithm, 256)
    assert re.search(rf"^ {algorithm} +11,643 .*%", printed, re.MULTILINE)


@pytest.mark.slow
def test_a_learner_of_ones_own_is_trained_resumed_evaluated_and_watched(
    real_words, tmp_path, monkeypatch
):
    """Its runs say where it is missing, and know its agent by its name."""
    words, folder = tmp_path / "words.txt", tmp_path / "run"
    words.write_text("\n".join(real_words[::8]))
    options = ["steps=2048", "num_envs=32", "rollout_steps=16"]
    options = [f"--set=learner.{option}" for option in options]
    recipe = ("--config", ROOT / "examples" / "attention.yaml", "--words", words)
    process = start("train.py", *recipe, "--run-dir", folder, *options, "--set=validation.games=9")
    assert any("ATTENTION: 512 steps" in line for line in process.stdout)
    process.terminate()
    process.communicate()
    assert process.returncode == 130
    without = run("evaluate.py", "--run", folder)
    assert_refused(without, "evaluate.py", "config.yaml", "no module 'attention'", "PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "examples"))
    for arguments, said in (
        (["train.py", "--resume", folder], "ATTENTION: 2,048 steps"),
        (["evaluate.py", "--run", folder, "--agents", "attention", "random"], "attention"),
        (["play.py", "--run", folder, "--watch", "attention", "--speed", 1000], "attention lost"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in done.stdout
    refused = run("evaluate.py", "--run", folder, "--agents", "ppo")
    assert_refused(refused, "evaluate.py", "no agent 'ppo', only attention")


@pytest.mark.slow
def test_rllib_trains_with_masks():
    assert len(re.findall(r"[\d.]+% of unseen words won", output_of("with_rllib", 1))) == 2
