"""Learning from play: the agent knows only what its games have shown."""

import shutil
import signal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gymnasium.vector import AutoresetMode
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hangman_lab.agents import DictionaryAgent
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.vector import HangmanVectorEnv
from hangman_lab.envs.words import hash_words
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.training.checkpoint import Interrupted, load_checkpoint, save_checkpoint
from hangman_lab.training.learners import from_play
from hangman_lab.training.learners.from_play import Play
from hangman_lab.training.learning import ValidationCallback
from hangman_lab.training.run import resume, train
from tests.training.conftest import Killed

QUIET = Console(quiet=True)


@pytest.fixture(scope="module", autouse=True)
def _few_games_per_round():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.training.learners.from_play._GAMES_PER_ROUND", 500)
        yield


def behind_a_wall(words) -> Any:
    """An environment with ``reset`` and ``step`` alone, and the words that its games have shown."""
    env = HangmanVectorEnv(32, autoreset_mode=AutoresetMode.SAME_STEP, words=words)
    shown = []

    def step(actions):
        result = env.step(actions)
        for observation in result[4].get("final_obs", ()):
            if observation is not None and 1 not in observation["word"]:
                shown.append("".join(chr(95 + code) for code in observation["word"] if code))
        return result

    return SimpleNamespace(reset=lambda seed: env.reset(seed=seed), step=step, shown=shown)


def test_words_are_uncovered_by_won_games_after_the_initial_ones(real_words):
    guesser = DictionaryAgent().fit(real_words[::2])
    words = real_words[1:1000]
    first = list(words[::200])
    env = behind_a_wall(words)
    play = Play(env, {"words": " ".join(first), "num_fitted": len(first), "games": 1000})
    won, known = play.play(guesser, 300)
    games = play.games - 1000
    assert games >= 300
    assert won == pytest.approx(len(env.shown) / games)
    assert play.words[: len(first)] == first
    assert set(play.words) == {*first, *env.shown} < set(words)
    assert play.growth == pytest.approx(len(play.words) / len(first) - 1)
    assert known == sum(word in first for word in env.shown) / games
    assert Play(env, {"words": "", "num_fitted": 0, "games": 0}).growth == np.inf


@pytest.mark.parametrize(("max_wrong", "expected"), [(1, 2 / 3), (2, 1)])
def test_letters_are_guessed_once_in_proportion_to_their_odds(max_wrong, expected):
    # The odds are 1 for A and 1/2 for B, and no other letter is ever guessed before these.
    chances = np.zeros(26)
    chances[:2] = 1 / 2, 1 / 3
    agent: Any = SimpleNamespace(letter_probabilities=lambda games: np.tile(chances, (500, 1)))
    env = HangmanVectorEnv(
        500, words=("a",), max_wrong=max_wrong, autoreset_mode=AutoresetMode.SAME_STEP
    )
    play = Play(env, {"words": "", "num_fitted": 0, "games": 0})
    assert play.play(agent, 5000)[0] == pytest.approx(expected, abs=0.02)


def test_letters_of_each_seed_and_each_round_are_other_samples():
    chances: Any = SimpleNamespace(letter_probabilities=lambda games: np.full((32, 26), 0.5))

    def guesses(seed, games):
        """The letters of a round of two games, in an environment that draws nothing."""
        env = HangmanVectorEnv(32, words=("a",), autoreset_mode=AutoresetMode.SAME_STEP)
        played = []

        def step(actions):
            played.extend(actions)
            return env.step(actions)

        wall: Any = SimpleNamespace(reset=lambda seed: env.reset(seed=seed), step=step)
        Play(wall, {"words": "", "num_fitted": 0, "games": games}, seed).play(chances, 2)
        return played

    assert guesses(0, 0) == guesses(0, 0)
    assert guesses(0, 0) != guesses(0, 40)
    assert guesses(0, 0) != guesses(1, 0)


OPTIONS = """
    env.max_wrong=10 env.max_length=7 final_split=valid learner.steps=1024 learner.kind=from_play
    learner.play.games=1500 learner.play.num_envs=128 learner.play.refit_growth=1
"""
FIRST = """learner.play.first={
    learner: {
        kind: windows, steps: 4000, num_envs: 128, rollout_steps: 16, batch_size: 512,
        epochs: 1, learning_rate: 3.0e-3, gae_lambda: 0.9, entropy_coefficient: 0.003,
        log_rows: 12, auxiliary_learning_rate: 0.03, missing_share: 0.8
    },
    discount: 0.0, reward: {name: dense}, validation: {every: 500_000, games: 50}
}"""


@pytest.fixture(scope="module")
def configure(tinier_files):
    """Return a function: the config of a run on short words, some of which PPO alone uncovers."""
    config, words = tinier_files
    common = [f"words={words}", *OPTIONS.split(), FIRST]
    return lambda *options: load_config(config, [*common, *options])


@pytest.fixture(scope="module")
def whole(configure, tmp_path_factory):
    """An uninterrupted run: its directory and its evaluation."""
    return train(configure(), QUIET, tmp_path_factory.mktemp("whole") / "run")


def train_words_of(run):
    return set(load_words(run.load_config()).part("train"))


def test_a_run_learns_only_what_its_games_show(whole):
    run, evaluation = whole
    learned = set(run.uncovered.read_text().split())
    assert learned < train_words_of(run)
    assert len(learned) > 50
    # The last games of the batch may end together.
    assert 1500 <= RunDirectory(run.path / "play").read_curves()["step"].max() < 1500 + 128
    assert set(load_posterior(run.posterior).known_words) == learned
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(sorted(learned))))
    # The final tables tell apart what was uncovered and what was not.
    uncovered, missed = (
        evaluation["tables"][name]["agents"]["posterior"] for name in ("uncovered", "missed")
    )
    assert uncovered["games"] == uncovered["fitted"] == 20
    assert missed["games"] == 20
    assert missed["fitted"] == 0


def test_the_host_draws_words_that_no_game_has_won(configure, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(
        HangmanVectorEnv, "prefer", lambda env, words, share=1: calls.append((set(words), share))
    )
    run, _ = train(configure("learner.steps=0"), QUIET, tmp_path / "missing")
    words, won = train_words_of(run), set(run.uncovered.read_text().split())
    first = set((run.path / "first" / "uncovered.txt").read_text().split())
    # In each rollout of the first run, and in each round of the second phase.
    preferred, shares = zip(*calls, strict=True)
    assert shares == (0.8, 0.8, *[1] * (len(calls) - 2))
    assert preferred[0] == words
    assert preferred[2] == words - first
    assert all(after < before for before, after in pairwise([*preferred, words - won]))
    calls.clear()
    train(configure("learner.steps=0", "learner.play.draw=all"), QUIET, tmp_path / "all")
    assert {share for _, share in calls} == {0.8}


@pytest.mark.parametrize(
    ("phase", "where", "stop"),
    [
        ("created", ValidationCallback, ("_on_rollout_end", signal.SIGINT)),
        # No fit is due at the checkpoint that follows.
        ("play", Play, ("play", signal.SIGTERM, 2)),
        # After the second fit and the points of its validation.
        ("play", from_play, ("say", signal.SIGKILL, 2)),
    ],
    ids=["in the first run", "while playing", "killed"],
)
def test_a_stopped_run_resumes_to_the_same_words_weights_and_curves(
    configure, tmp_path, stop_in, whole, phase, where, stop
):
    stop_in(where, *stop)
    with pytest.raises((Interrupted, Killed)):
        train(configure(), QUIET, tmp_path / "stopped")
    assert load_checkpoint(tmp_path / "stopped" / "checkpoint.pt")[0] == phase
    for events in tmp_path.glob("stopped/play/events*"):
        events.rename(events.with_name("events.out.tfevents.0"))
    resumed, _ = resume(tmp_path / "stopped", QUIET)
    for name in ("uncovered", "posterior", "held_back_posterior", "policy"):
        assert getattr(resumed, name).read_bytes() == getattr(whole[0], name).read_bytes(), name
    for folder in ("", "first", "play"):
        both = [RunDirectory(run.path / folder).read_curves() for run in (resumed, whole[0])]
        pd.testing.assert_frame_equal(*(curves.filter(regex="^(?!time/fps)") for curves in both))
    both = [run.path / "play" for run in (resumed, whole[0])]
    assert (both[0] / "curves.jsonl").read_text() == (both[1] / "curves.jsonl").read_text()
    for tag in ("eval/win_rate", "rollout/win_rate"):
        points = [EventAccumulator(str(path)).Reload().Scalars(tag) for path in both]
        assert len({tuple((point.step, point.value) for point in each) for each in points}) == 1


def test_a_run_can_begin_with_the_words_of_another(configure, real_words, whole, tmp_path):
    # Only its checkpoint is read.
    first = RunDirectory.create(configure(), tmp_path / "first")
    shutil.copy(whole[0].checkpoint, first.checkpoint)
    words = tmp_path / "words.txt"
    words.write_text("\n".join(word[::-1] for word in real_words[::4]))
    games = int(whole[0].read_curves()["rollout/games"].max())
    options = f"first={first.path} games={games + 800} refit_growth=9".split()
    config = configure(f"words={words}", *(f"learner.play.{option}" for option in options))
    run, _ = train(config, QUIET, tmp_path / "run")
    given, learned = (set(each.uncovered.read_text().split()) for each in (whole[0], run))
    assert given < learned
    assert learned - given <= train_words_of(run)
    assert not (run.path / "first").exists()
    curves = RunDirectory(run.path / "play").read_curves()
    assert curves["step"].iloc[0] == games
    assert {"eval/win_rate", "eval/excluded_win_rate", "rollout/uncovered"} <= set(curves)
    # It is fitted at the beginning and at the end: the words never become ten times as many.
    assert curves["eval/win_rate"].count() == 2


def test_an_unusable_first_run_is_refused(configure, tmp_path):
    runs = {}
    for words in (None, "", "zyzzyva", "x-ray"):
        runs[words] = RunDirectory.create(configure(), tmp_path / "first")
        phase = "play" if words is None else "done"
        save_checkpoint(runs[words].checkpoint, phase, {"uncovered": words, "games": 9})
    for option, said in (
        (f"={tmp_path / 'none'}", "not the folder of a run"),
        (f"={runs[None].path}", "is not finished"),
        (f"={runs[''].path}", "have uncovered no word"),
        (f"={runs['zyzzyva'].path}", "none of the words that .* is one of the train words"),
        (f"={runs['x-ray'].path}", r"checkpoint\.pt: .*x-ray"),
        (".reward.parameters={hurt: 1}", "hurt"),
    ):
        with pytest.raises(InputError, match=said):
            train(configure(f"learner.play.first{option}"), QUIET, tmp_path / "run")
    assert not (tmp_path / "run").exists()
