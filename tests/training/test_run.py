"""Training runs by ``train`` and ``resume``: their files, stopping and resuming."""

import io
import json
import shutil
import signal
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hangman_lab.agents import make_agent
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.words import Split, hash_words, read_word_list
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.calibration import reliability
from hangman_lab.run_files.agents import load_run_agent
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.options import read_options
from hangman_lab.run_files.words import draw_words
from hangman_lab.training import run as training
from hangman_lab.training.checkpoint import Interrupted, load_checkpoint, save_checkpoint
from hangman_lab.training.learners.base import make_env, reward_of
from hangman_lab.training.learning import ValidationCallback
from hangman_lab.training.run import resume, train

QUIET = Console(quiet=True)


@pytest.fixture(scope="module")
def short_words(real_words, tmp_path_factory):
    """A file of 250 words."""
    words = tmp_path_factory.mktemp("few") / "words.txt"
    words.write_text("\n".join(real_words[::16]))
    return words


@pytest.fixture(scope="module")
def configure(tiny_files, short_words):
    """Return a function: the config of a tiny run on these words with other options."""
    return lambda options="": load_config(tiny_files[0], [f"words={short_words}", *options.split()])


@pytest.fixture(scope="module")
def short_run(configure, tmp_path_factory):
    """A run that looks ahead in every state: (run directory, evaluation, output)."""
    printed, folder = io.StringIO(), tmp_path_factory.mktemp("short") / "run"
    config = configure("learner.look_ahead_lives=6")
    return *train(config, Console(file=printed, width=120), folder), printed.getvalue()


def weights(run):
    files = (run.posterior, run.held_back_posterior, run.policy)
    return {file.name: file.read_bytes() for file in files if file.exists()}


def parts_of(words_file):
    return Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(words_file))


def check_files(step, win_rate, run):
    """An ``on_validation``, which may rely on the checkpoint and on the curves up to it."""
    assert load_checkpoint(run.checkpoint)[1]["step"] == step
    assert run.read_curves().set_index("step")["eval/win_rate"][step] == win_rate


CURVES = """
    eval/win_rate eval/wrong_guesses eval/known_win_rate rollout/win_rate rollout/ep_rew_mean
    train/approx_kl train/explained_variance train/learning_rate time/fps
"""


def test_a_run_directory_tells_the_split_and_the_curves_that_tensorboard_has(
    short_run, configure, short_words
):
    run, evaluation, _ = short_run
    assert run.load_config() == configure("learner.look_ahead_lives=6")
    parts = parts_of(short_words)
    split = json.loads(run.split.read_text())
    assert split["counts"] == {name: len(words) for name, words in parts.items()}
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(parts["train"])))
    assert load_checkpoint(run.checkpoint)[0] == "done"
    events = EventAccumulator(str(run.path), size_guidance={"scalars": 0})
    events.Reload()
    curves = run.read_curves().set_index("step")
    for tag in CURVES.split():
        points, scalars = curves[tag].dropna(), events.Scalars(tag)
        assert [scalar.step for scalar in scalars] == points.index.tolist()
        assert [scalar.value for scalar in scalars] == pytest.approx(points.tolist())
        assert len(points) > 1
    valid = draw_words(parts["valid"], 50)
    games = play(make_agent("dictionary").fit(parts["train"]), valid)
    assert set(curves["baselines/dictionary"].dropna()) == {games["won"].mean()}
    # The levels of all agents without a policy, in the chart of its win rate.
    for name in ("random", "dictionary", "ngram", "look-ahead", "posterior"):
        level = EventAccumulator(str(run.path / "baselines" / name)).Reload()
        points = curves[f"baselines/{name}"].dropna()
        scalars = {point.step: point.value for point in level.Scalars("eval/win_rate")}
        assert scalars == pytest.approx(points.to_dict())
    # The policy before PPO, at each doubling of the steps up to `every`, and each `every` steps.
    assert curves["eval/win_rate"].dropna().index.tolist() == [0, 1_024, 2_048, 4_096]
    # The rate of each update but the last, which is followed by no rollout, falls evenly to 0.
    rates = curves["train/learning_rate"].dropna()
    assert rates.tolist() == pytest.approx([1e-3, 7.5e-4, 5e-4])
    assert any(tag.startswith("_hparams_") for tag in events.summary_metadata)
    for name, figures in (("unseen", evaluation), ("known", evaluation["tables"]["known"])):
        final = events.Scalars(f"win_rate/{name}")[-1].value
        assert final == pytest.approx(figures["agents"]["ppo"]["win_rate"])


def test_the_final_games_are_on_unseen_known_and_excluded_words(short_run, short_words):
    run, evaluation, printed = short_run
    assert json.loads(run.evaluation.read_text()) == evaluation
    known, excluded = map(evaluation["tables"].get, ("known", "excluded"))
    assert [part["split"] for part in (evaluation, known, excluded)] == ["test", "train", "test"]
    test_words = parts_of(short_words)["test"]
    for part, games in ((evaluation, len(test_words)), (known, 20), (excluded, len(test_words))):
        assert list(part["agents"]) == ["ppo", "look-ahead", "posterior", "dictionary", "random"]
        for name, figures in part["agents"].items():
            assert figures["games"] == games
            assert figures["fitted"] == (games if part is known and name != "random" else 0)
            assert name in printed
            assert f"{figures['win_rate']:.1%}" in printed
    # What lies in the directory is what was played.
    for part, prior in ((evaluation, 0.5), (excluded, 0.0)):
        for name in ("ppo", "look-ahead", "posterior"):
            games = play(load_run_agent(name, run, (), known=prior), test_words)
            expected = (games["won"].sum(), games["guesses"].mean())
            assert tuple(part["agents"][name][key] for key in ("wins", "mean_guesses")) == expected
    # A policy that may know the secret wins more of the known words than of the rest, and even a
    # tiny run beats random letters by far.
    for name in ("ppo", "look-ahead", "posterior"):
        unseen = evaluation["agents"][name]
        assert known["agents"][name]["ci95"][0] > unseen["ci95"][1]
        assert unseen["win_rate"] > evaluation["agents"]["random"]["ci95"][1] + 0.05


def test_nothing_is_fitted_on_valid_or_test_words(short_run, configure, short_words, tmp_path):
    """With other valid or test words, the weights are the same up to model selection."""
    run, parts = short_run[0], parts_of(short_words)
    words = {word for part in parts.values() for word in part}
    (tmp_path / "others.txt").write_text("\n".join(sorted({word[::-1] for word in words} - words)))
    others = parts_of(tmp_path / "others.txt")

    def run_without(part, options=""):
        """Train with the words of one part replaced by half as many other words."""
        path = tmp_path / f"{part}.txt"
        added = others[part][: len(parts[part]) // 2]
        path.write_text("\n".join([*sorted(words - set(parts[part])), *added]))
        config = configure("learner.look_ahead_lives=6 " + options).with_words(str(path))
        return train(config, QUIET, tmp_path / part)

    without_test, evaluation = run_without("test")
    assert weights(without_test) == weights(run)
    assert evaluation["agents"]["dictionary"]["games"] < len(parts["test"])
    # Valid words choose the policy, and nothing else.
    without_valid, _ = run_without("valid", "learner.steps=0")
    for name in ("posterior", "held_back_posterior"):
        assert getattr(without_valid, name).read_bytes() == getattr(run, name).read_bytes()
    assert set(load_posterior(run.posterior).known_words) == set(parts["train"])


def test_ppo_alone_learns_within_seconds(tiny_files, tmp_path):
    """With ten lives, even random letters win some games."""
    options = f"""
        words={tiny_files[1]} learner.kind=windows learner.log_rows=14 env.max_wrong=10
        final_split=valid learner.steps=32_768 learner.num_envs=128 learner.epochs=3
        learner.learning_rate=5e-3 validation.every=16_384
    """.split()
    run, evaluation = train(load_config(tiny_files[0], options), QUIET, tmp_path / "run")
    assert set(weights(run)) == {"policy.safetensors"}
    agents, known = evaluation["agents"], evaluation["tables"]["known"]
    assert (evaluation["split"], known["split"]) == ("valid", "train")
    assert list(agents) == ["ppo", "dictionary", "random"]
    # There is no posterior that has a prior.
    assert "excluded" not in evaluation
    assert known["known"] is None
    assert agents["ppo"]["ci95"][0] > agents["random"]["ci95"][1] + 0.1
    rates = run.read_curves()["rollout/win_rate"].dropna().tolist()
    assert rates[-1] > rates[0] + 0.05


WINDOWS = "learner.kind=windows learner.log_rows=9 "


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ("", signal.SIGTERM),
        (WINDOWS, signal.SIGINT),
        (WINDOWS + "learner.auxiliary_learning_rate=0.01", signal.SIGINT),
        # Of one's own, off-policy: with a replay buffer.
        ("learner.kind=tests.training.learners.own:OwnLearner", signal.SIGINT),
    ],
)
def test_a_run_stopped_by_a_signal_resumes_to_the_same_curves_and_weights(
    configure, tmp_path, stop_in, options, number
):
    # Fewer games end in a rollout than a point of their win rate needs.
    games = "learner.num_envs=8 learner.batch_size=128 env.max_wrong=10 "
    config = configure(games + "learner.steps=1_024 validation.every=512 " + options)
    whole, _ = train(config, QUIET, tmp_path / "whole")
    handler = signal.getsignal(number)
    stop_in(ValidationCallback, "_on_rollout_end", number)
    with pytest.raises(Interrupted):
        train(config, QUIET, tmp_path / "stopped", on_validation=check_files)
    assert signal.getsignal(number) == handler
    assert load_checkpoint(tmp_path / "stopped" / "checkpoint.pt")[1]["step"] == 128
    # A killed run leaves points that are later than its checkpoint, and half a line.
    with open(tmp_path / "stopped" / "curves.jsonl", "a") as curves:
        curves.write('{"step": 1500, "eval/win_rate": 1.0}\n{"step": 1600, "eval/win')
    resumed, _ = resume(tmp_path / "stopped", QUIET)
    assert weights(resumed) == weights(whole)
    curves = [run.read_curves().filter(regex="^(?!time/fps)") for run in (resumed, whole)]
    pd.testing.assert_frame_equal(*curves)
    assert curves[0]["rollout/win_rate"].count() > 0


def test_a_run_is_validated_and_ends_by_the_rules_of_its_config(configure, short_words, tmp_path):
    rules = "env.host=evil env.min_length=10 env.max_wrong=9 learner.steps=1_500 "
    console = Console(file=io.StringIO())
    config = configure(rules + WINDOWS)
    run, evaluation = train(config, console, tmp_path / "run")
    # The steps are whole rollouts.
    assert "PPO: 2,048 steps done" in console.file.getvalue()
    events = EventAccumulator(str(run.path)).Reload()
    assert events.Scalars("win_rate/unseen")[-1].step == run.read_curves()["step"].max() == 2_048
    parts = {
        part: tuple(word for word in words if len(word) >= 10)
        for part, words in parts_of(short_words).items()
    }
    dictionary = make_agent("dictionary").fit(parts["train"])
    assert evaluation["host"] == evaluation["tables"]["known"]["host"] == "evil"
    games = play(dictionary, parts["test"], config.env.rules, host_words=parts["test"])
    final = evaluation["agents"]["dictionary"]
    assert (final["wins"], final["mean_guesses"]) == (games["won"].sum(), games["guesses"].mean())
    policy = load_run_agent("ppo", run, (), 0)
    valid = draw_words(parts["valid"], 50)
    games = play(policy, valid, config.env.rules, host_words=parts["valid"])
    curves = run.read_curves()
    assert games["wrong_guesses"].mean() in curves["eval/wrong_guesses"].dropna().tolist()


def test_rewards_of_the_config_reach_the_learner(configure):
    reward: Any = reward_of(configure("reward.name=potential discount=0.9"))
    assert reward.discount == 0.9
    env = make_env(configure("reward.name=dense reward.parameters.hit=0.7"), ("add",), 2)
    env.reset()
    assert env.step(np.array([0, 3]))[1] == pytest.approx([0.7, 1.4])
    with pytest.raises(InputError, match=r"reward\.parameters\.discount"):
        reward_of(configure("reward.name=potential reward.parameters.discount=0.9"))


@pytest.mark.parametrize("known", [0.0, 0.5])
@pytest.mark.slow
def test_the_posterior_is_calibrated_on_valid_words(tiny_run, tiny_files, known):
    run, _ = tiny_run
    valid = parts_of(tiny_files[1])["valid"]
    agent = load_posterior(run.posterior, known)
    # Where half of the secrets are said to be known, so they are.
    words = valid if known == 0 else [*valid, *parts_of(tiny_files[1])["train"][::8][: len(valid)]]
    figures = reliability(play(agent, words), agent, Rules())
    assert figures["predictions"] > 20_000
    # On average a probability is within 3 points of the share of letters that were hidden.
    assert figures["expected_calibration_error"] < 0.03


def copy_of(run, path):
    shutil.copytree(run.path, path, ignore=shutil.ignore_patterns("*tfevents*"))
    return RunDirectory.open(path)


def test_resuming_plays_the_final_words_again_and_needs_no_policy_before_ppo(
    short_run, tmp_path, monkeypatch
):
    # The posterior is fitted already.
    monkeypatch.setattr("hangman_lab.training.learners.posterior.fit_posterior", None)
    run, evaluation, _ = short_run
    before, wins = weights(run), evaluation["agents"]["ppo"]["wins"]
    finished, fitted = (copy_of(run, tmp_path / name) for name in ("finished", "fitted"))
    finished.evaluation.unlink()
    save_checkpoint(fitted.checkpoint, "ppo", {})
    fitted.policy.unlink()
    (fitted.path / ".checkpoint.pt.99.tmp").write_text("left by a killed process")
    again, _ = train(finished.load_config(), QUIET, tmp_path / "again", posteriors=finished.path)
    assert weights(again) == before
    for run in (finished, fitted):
        _, evaluation = resume(run.path, QUIET)
        assert weights(run) == before
        assert evaluation["agents"]["ppo"]["wins"] == wins
        assert json.loads(run.evaluation.read_text()) == evaluation
    assert not list(fitted.path.glob(".*.tmp"))


def test_ctrl_c_in_the_final_games_says_which_run_to_resume(short_run, tmp_path, monkeypatch):
    run = copy_of(short_run[0], tmp_path / "run")
    # Not by a signal, which a shell's background jobs ignore.
    monkeypatch.setattr(training, "play_final_games", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(Interrupted) as stopped:
        resume(run.path, QUIET)
    assert stopped.value.args == (run.path,)


def test_a_run_that_is_in_use_or_has_other_words_or_another_network_is_not_resumed(
    short_run, tmp_path
):
    run = copy_of(short_run[0], tmp_path / "run")
    before, config = weights(run), run.config.read_text()
    with (
        FileLock(run.path / ".lock"),
        pytest.raises(InputError, match=f"{run.path}: another process trains this run"),
    ):
        resume(run.path, QUIET)
    run.config.write_text(json.dumps(read_options(run.config) | {"split": {"seed": 5}}))
    with pytest.raises(InputError, match="its train and valid and test words are not those"):
        resume(run.path, QUIET)
    run.config.write_text(config)
    save_checkpoint(run.checkpoint, "ppo", {"step": 4_096, "ppo": {"policy": {}}})
    with pytest.raises(InputError, match=r"does not fit the run's config.*\Z"):
        resume(run.path, QUIET)
    assert weights(run) == before
