"""Learning from play: the agent knows only what its games have shown."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from rich.console import Console

from hangman_lab.agents import DictionaryAgent
from hangman_lab.agents.posterior.posterior import load_posterior
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.env import HangmanVectorEnv
from hangman_lab.envs.words import hash_words, read_word_list
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import split_words
from hangman_lab.training.checkpoint import load_checkpoint
from hangman_lab.training.learners.from_play import Play
from hangman_lab.training.run import resume, train

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


FIRST_LEARNER = """
    steps: 20000, num_envs: 128, batch_size: 512, log_rows: 12, epochs: 1, learning_rate: 3.0e-3,
    gae_lambda: 0.9, entropy_coefficient: 0.003, prediction_rate: 0.03
"""
FIRST = """
    discount: 0.0, reward: {name: dense}, validation: {every: 500_000, games: 50, known_weight: 0.0}
"""


@pytest.fixture(scope="module")
def config_of(tiny_files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("from_play")

    def config_of(words, *options):
        """A run of short words, so that PPO alone uncovers some within seconds."""
        path = folder / f"{hash(words)}.txt"
        path.write_text("\n".join(words))
        common = f"""
            words={path} env.max_wrong=10 final_split=valid learner.steps=1024
            learner.kind=from_play learner.play.games=3000 learner.play.num_envs=128
        """
        first = "learner.play.first={learner: {kind: windows, " + f"{FIRST_LEARNER}}}, {FIRST}}}"
        return load_config(tiny_files[0], [*common.split(), first, *options])

    return config_of


@pytest.fixture(scope="module")
def whole(config_of, real_words, tmp_path_factory):
    """An uninterrupted run on half of the words: its directory and its evaluation."""
    return train(config_of(real_words[::2]), QUIET, tmp_path_factory.mktemp("whole") / "run")


def train_words_of(config):
    return set(split_words(config, read_word_list(config.words)).parts["train"])


@pytest.mark.slow
def test_a_run_learns_only_what_its_games_show(config_of, real_words, whole):
    run, evaluation = whole
    learned = set(run.uncovered.read_text().split())
    train_words = train_words_of(config_of(real_words[::2]))
    assert learned < train_words
    assert len(learned) > 100
    assert set(load_posterior(run.posterior).known_words) == learned
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(sorted(learned))))
    # The final tables tell apart what was uncovered and what was not.
    uncovered, missed = (
        evaluation[name]["agents"]["posterior"] for name in ("uncovered", "missed")
    )
    assert uncovered["games"] == uncovered["seen"] == min(len(learned), 400)
    assert missed["games"] == min(len(train_words - learned), 400)
    assert missed["seen"] == 0


class StoppedError(Exception):
    pass


@pytest.mark.slow
def test_a_run_stopped_while_playing_resumes_to_the_same_words_and_weights(
    config_of, real_words, tmp_path, monkeypatch, whole
):
    config = config_of(real_words[::2])
    play = Play.play

    def stopped(self, agent, num_games):
        if 2000 < self.games < 2900:
            raise StoppedError
        return play(self, agent, num_games)

    with monkeypatch.context() as patched:
        patched.setattr(Play, "play", stopped)
        with pytest.raises(StoppedError):
            train(config, QUIET, tmp_path / "stopped")
    phase, state = load_checkpoint(tmp_path / "stopped" / "checkpoint.pt")
    assert phase == "play"
    assert state["games"] > 2000
    resumed, _ = resume(tmp_path / "stopped", QUIET)
    for name in ("uncovered", "posterior", "held_back_posterior", "policy"):
        assert getattr(resumed, name).read_bytes() == getattr(whole[0], name).read_bytes(), name


@pytest.mark.slow
def test_a_run_can_begin_with_the_words_of_another(config_of, real_words, tiny_run, tmp_path):
    first, own = tiny_run[0], tuple(word[::-1] for word in real_words[::4])
    games = int(first.read_curves()["rollout/games"].max())
    options = (f"learner.play.first={first.path}", f"learner.play.games={games + 1000}")
    config = config_of(own, *options)
    run, _ = train(config, QUIET, tmp_path / "run")
    given, learned = (set(each.uncovered.read_text().split()) for each in (first, run))
    assert given < learned
    assert learned - given <= train_words_of(config)
    assert not (run.path / "first").exists()
    curves = RunDirectory(run.path / "play").read_curves()
    assert curves["step"].iloc[0] == games
    assert {"valid/win_rate", "valid/excluded_win_rate", "rollout/uncovered"} <= set(curves)


def test_an_unusable_first_run_is_refused(config_of, real_words, tmp_path):
    empty = RunDirectory.create(config_of(real_words[::4]), tmp_path / "empty")
    for path, said in ((tmp_path / "none", "not the folder of a run"), (empty.path, "no word")):
        config = config_of(real_words[::4], f"learner.play.first={path}")
        with pytest.raises(InputError, match=said):
            train(config, QUIET, tmp_path / "run")
    config = config_of(real_words[::4], "learner.play.first.reward.parameters={hurt: 1}")
    with pytest.raises(InputError, match="hurt"):
        train(config, QUIET, tmp_path / "run")
    assert not (tmp_path / "run").exists()
