import io
import json

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.posterior.mixture import MixturePosterior
from agents.ppo.agent import PPOAgent, load_network
from envs.errors import InputError
from envs.words import Split, hash_words, read_word_list
from evaluation.analysis import reliability
from evaluation.arena import play
from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import load_config
from training.derived_words import DerivedWords
from training.ppo import make_model
from training.run import TrainingRun, resume, train
from training.run_directory import RunDirectory
from training.warm_start import WarmStart, mix_with_ngrams

pytestmark = pytest.mark.slow


def quiet():
    return Console(file=io.StringIO(), width=120)


def weights(run):
    return run.posterior.read_bytes(), run.policy.read_bytes()


def test_a_run_directory_holds_what_is_needed_to_understand_and_repeat_it(tiny_run, tiny_files):
    run, _ = tiny_run
    names = {path.name for path in run.path.iterdir()}
    assert {
        "config.yaml", "command.txt", "split.json", "fitted_words.npy", "checkpoint.pt",
        "posterior.safetensors", "policy.safetensors", "evaluation.json",
    } <= names  # fmt: skip
    assert any(name.startswith("events.out.tfevents") for name in names)
    assert not any(name.endswith(".tmp") for name in names)
    assert run.load_config() == load_config(tiny_files[0], [f"words={tiny_files[1]}"])
    parts = Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))
    split = json.loads(run.split.read_text())
    assert split["counts"] == {name: len(words) for name, words in parts.items()}
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(parts["train"])))
    assert load_checkpoint(run.checkpoint)[0] == "done"


def test_the_run_ends_with_the_final_words_played_side_by_side(tiny_run, tiny_files):
    run, printed = tiny_run
    evaluation = json.loads(run.evaluation.read_text())
    assert list(evaluation["agents"]) == ["ppo", "posterior", "dictionary", "random"]
    assert evaluation["split"] == "test"
    words = Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))["test"]
    for name, figures in evaluation["agents"].items():
        assert figures["games"] == len(words)
        assert figures["seen"] == 0
        assert name in printed
        assert f"{figures['win_rate']:.1%}" in printed
    # What lies in the directory is what was played.
    agent = PPOAgent(MixturePosterior.load(run.posterior), load_network(run.policy))
    assert play(agent, words).won.sum() == evaluation["agents"]["ppo"]["wins"]


def test_even_a_tiny_run_beats_random_by_far_on_unseen_words(tiny_run):
    agents = json.loads(tiny_run[0].evaluation.read_text())["agents"]
    for name in ("ppo", "posterior"):
        assert agents[name]["ci95"][0] > agents["random"]["ci95"][1] + 0.05


EXPECTED_SCALARS = {
    "valid/win_rate",
    "valid/win_rate_low",
    "valid/win_rate_high",
    "valid/wrong_guesses",
    "valid/episode_length",
    "valid_by_length/07_letters",
    "warm_start/loss",
    "warm_start/win_rate",
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "train/entropy_loss",
    "train/approx_kl",
    "train/explained_variance",
    "train/learning_rate",
    "time/fps",
    "final/ppo_win_rate",
    "final/random_win_rate",
}


def curves(path):
    events = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    return events


def test_tensorboard_has_the_curves(tiny_run):
    run, _ = tiny_run
    events = curves(run.path)
    tags = events.Tags()
    assert set(tags["scalars"]) >= EXPECTED_SCALARS
    assert "valid/letters" in tags["histograms"]
    assert "valid/sample_games/text_summary" in tags["tensors"]
    assert any(tag.startswith("_hparams_") for tag in events.summary_metadata)
    for tag in ("valid/win_rate", "time/fps", "train/approx_kl"):
        steps = [event.step for event in events.Scalars(tag)]
        assert steps == sorted(steps)
        assert len(steps) > 2
    # PPO's steps follow those of the warm start.
    assert min(event.step for event in events.Scalars("time/fps")) > 60_000
    evaluation = json.loads(run.evaluation.read_text())
    final = events.Scalars("final/ppo_win_rate")[-1].value
    assert final == pytest.approx(evaluation["agents"]["ppo"]["win_rate"])
    text = events.Tensors("valid/sample_games/text_summary")[0].tensor_proto.string_val[0]
    assert b"guess" in text


def test_test_words_are_in_nothing_that_is_fitted(tiny_files, tmp_path):
    """Other valid and test words, all else the same: the same weights up to model selection."""
    config_file, words_file = tiny_files
    split = Split(0, (0.8, 0.1, 0.1))
    words = read_word_list(words_file).words
    parts = split.divide(read_word_list(words_file))
    others = sorted({word[::-1] for word in words} - set(words))
    replaced = [word for word in others if split.part(word) == "test"][: len(parts["test"]) // 2]
    other_file = tmp_path / "other.txt"
    other_file.write_text("\n".join([*parts["train"], *parts["valid"], *replaced]))
    options = ["ppo.steps=2048", "warm_start.states=10_000"]
    runs = [
        train(load_config(config_file, [f"words={file}", *options]), quiet(), tmp_path / file.stem)
        for file in (words_file, other_file)
    ]
    (one, one_evaluation), (other, other_evaluation) = runs
    assert weights(one) == weights(other)
    games = [e["agents"]["dictionary"]["games"] for e in (one_evaluation, other_evaluation)]
    assert games[0] == len(parts["test"]) != games[1]
    # Of words that both played, the dictionary knows the same; fitted words are train words.
    assert not np.isin(hash_words(parts["test"] + parts["valid"]), one.load_fitted_words()).any()


def test_what_ppo_leaves_frozen_stays_as_it_was(tiny_files, tmp_path):
    config = load_config(
        tiny_files[0],
        [
            f"words={tiny_files[1]}",
            "ppo.steps=1024",
            "warm_start.states=2_000",
            "ppo.freeze=[scale, letters]",
            "final_split=valid",
        ],
    )
    run, evaluation = train(config, quiet(), tmp_path / "run")
    assert evaluation["split"] == "valid"
    network = load_network(run.policy)
    assert network.scale.weight.item() == 4.0
    assert not network.letters[-1].weight.any()


def test_training_from_scratch_needs_no_warm_start(tiny_files, tmp_path):
    config = load_config(
        tiny_files[0],
        [
            f"words={tiny_files[1]}",
            "warm_start.enabled=false",
            "policy.pattern_channels=4",
            "ppo.steps=1024",
            "reward.name=potential",
            "discount=0.95",
        ],
    )
    run, evaluation = train(config, quiet(), tmp_path / "run")
    assert evaluation["agents"]["ppo"]["games"] > 0
    assert load_file(run.posterior)["windows.reach"] == 0
    assert run.load_config().discount == 0.95


def test_rewards_of_the_config_reach_the_learner(tiny_files):
    from training.ppo import reward_of

    def reward(*overrides):
        return reward_of(load_config(tiny_files[0], overrides))

    assert reward("reward.name=potential", "discount=0.9").discount == 0.9
    assert reward("reward.name=dense", "reward.parameters.hit=0.7").hit == 0.7
    with pytest.raises(InputError, match=r"reward\.parameters\.discount"):
        reward("reward.name=potential", "reward.parameters.discount=0.9")
    with pytest.raises(InputError, match=r"'hit'.*has win, loss"):
        reward("reward.name=sparse", "reward.parameters.hit=0.9")


def test_a_run_that_was_killed_before_its_first_state_goes_on(tiny_files, tmp_path):
    config = load_config(
        tiny_files[0], [f"words={tiny_files[1]}", "ppo.steps=1024", "warm_start.states=5_000"]
    )
    whole, _ = train(config, quiet(), tmp_path / "whole")
    begun = RunDirectory.create(config, tmp_path / "begun")
    parts = Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))
    begun.write_split(config, str(tiny_files[1]), parts)
    save_checkpoint(begun.checkpoint, "begun", {})
    (begun.path / ".checkpoint.pt.99.tmp").write_text("left by a killed process")
    resumed, _ = resume(begun.path, quiet())
    assert weights(resumed) == weights(whole)
    assert not list(begun.path.glob(".*.tmp"))


def test_a_policy_that_is_trained_from_scratch_learns_within_seconds(tiny_files, tmp_path):
    """From rewards alone: ten wrong guesses lose, so that even random letters win some games."""
    options = [
        "warm_start.enabled=false",
        "policy.pattern_channels=16",
        "policy.pattern_layers=1",
        "env.max_wrong=10",
        "ppo.steps=32_768",
        "ppo.num_envs=128",
        "ppo.epochs=3",
        "ppo.learning_rate=5e-3",
        "validation.every=100_000",
    ]
    config = load_config(tiny_files[0], [f"words={tiny_files[1]}", *options])
    _, evaluation = train(config, quiet(), tmp_path / "run")
    agents = evaluation["agents"]
    assert agents["ppo"]["ci95"][0] > agents["random"]["ci95"][1] + 0.1
    assert agents["ppo"]["ci95"][0] > agents["posterior"]["ci95"][1] + 0.1


def test_cross_fitting_never_shows_a_word_to_a_model_that_was_fitted_on_it(
    tiny_files, tmp_path, monkeypatch
):
    """Each model is known by its file; what it was fitted on, and what it plays, is recorded."""
    fitted, played, rated_by = [], [], []

    class Recorded(WarmStart):
        def __init__(self, config, words, states):
            super().__init__(config, words, states)
            fitted.append({"windows": set(words)})

    class RecordedDerivation(DerivedWords):
        def __init__(self, words, options, seed):
            super().__init__(words, options, seed)
            rated_by.append(set(words))

    def count(config, windows, words, derived_words):
        fitted[-1]["ngrams"] = set(words)
        mixture = mix_with_ngrams(config, windows, words, derived_words)
        fitted[-1]["counts"] = mixture.ngrams.to_tensors()["counts"]
        return mixture

    def make(config, batches):
        played.extend(batches)
        return make_model(config, batches)

    monkeypatch.setattr("training.run.WarmStart", Recorded)
    monkeypatch.setattr("training.run.DerivedWords", RecordedDerivation)
    monkeypatch.setattr("training.derived_words._STEPS", 100)
    monkeypatch.setattr("training.derived_words._MIN_CHANCE", 0.0)
    monkeypatch.setattr("training.run.mix_with_ngrams", count)
    monkeypatch.setattr("training.run.make_model", make)
    options = ["warm_start.states=2_000", "warm_start.folds=3", "warm_start.fold_states=2_000"]
    options += ["final_split=valid", "warm_start.exclude_fitted_words=true"]
    options += ["warm_start.derive_words=true"]
    overrides = [f"words={tiny_files[1]}", "ppo.steps=1_024", *options]
    train(load_config(tiny_files[0], overrides), quiet(), tmp_path / "run")
    train_words = set(Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))["train"])
    # The first model is that of the final games, of all train words.
    assert fitted[0]["windows"] == fitted[0]["ngrams"] == train_words
    assert len(played) == len(fitted) - 1 == 3
    for (words, posterior), model in zip(played, fitted[1:], strict=True):
        assert np.array_equal(posterior.ngrams.to_tensors()["counts"], model["counts"])
        assert model["windows"] == model["ngrams"] == train_words - set(words)
        # What a model knows not to be the secret are the words that it was fitted on, no others.
        impossible = posterior.listed_probabilities == 0
        assert set(np.array(posterior.listed)[impossible]) == model["ngrams"]
        assert (~impossible).any()
        assert 0 < len(words) < len(train_words)
    assert set().union(*(words for words, _ in played)) == train_words
    assert rated_by == [train_words]


def test_the_posterior_is_calibrated_on_valid_words(tiny_run, tiny_files):
    run, _ = tiny_run
    valid = Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))["valid"]
    agent = MixturePosterior.load(run.posterior)
    figures = reliability(play(agent, valid), agent)
    assert figures["predictions"] > 20_000
    # On average a probability is within 3 points of the share of letters that were hidden.
    assert figures["expected_calibration_error"] < 0.03
    # The error is seen: a posterior that is sure where this one is not fails the same check.
    overconfident = MixturePosterior.load(run.posterior)
    monotone = overconfident.letter_probabilities
    overconfident.letter_probabilities = lambda states: np.round(monotone(states))
    wrong = reliability(play(agent, valid), overconfident)
    assert wrong["expected_calibration_error"] > 0.05


def test_cross_fitting_goes_on_in_the_middle_of_a_fold(tiny_files, tmp_path, monkeypatch):
    options = ["warm_start.states=4_000", "warm_start.folds=2", "warm_start.fold_states=8_000"]
    config = load_config(
        tiny_files[0],
        [f"words={tiny_files[1]}", "ppo.steps=1024", "checkpoint_every=1_000", *options],
    )
    whole, _ = train(config, quiet(), tmp_path / "whole")
    assert not np.isin(
        hash_words(Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tiny_files[1]))["test"]),
        whole.load_fitted_words(),
    ).any()

    class StoppedError(Exception):
        pass

    saved = TrainingRun.save

    def stop_in_the_second_fold(training, phase, state):
        saved(training, phase, state)
        if state.get("stage") == 2 and state["step"] > 14_000:
            raise StoppedError

    monkeypatch.setattr(TrainingRun, "save", stop_in_the_second_fold)
    with pytest.raises(StoppedError):
        train(config, quiet(), tmp_path / "stopped")
    monkeypatch.undo()
    resumed, _ = resume(tmp_path / "stopped", quiet())
    assert weights(resumed) == weights(whole)
    for number in (1, 2):
        assert (
            resumed.fold_posterior(number).read_bytes() == whole.fold_posterior(number).read_bytes()
        )
    assert whole.fold_posterior(1).read_bytes() != whole.fold_posterior(2).read_bytes()


def copy_of(run, path):
    path.mkdir()
    for file in run.path.iterdir():
        if "tfevents" not in file.name:
            (path / file.name).write_bytes(file.read_bytes())
    return RunDirectory.open(path)


def test_resuming_a_finished_run_plays_its_final_words_again(tiny_run, tmp_path):
    copy = copy_of(tiny_run[0], tmp_path / "copy")
    before = weights(copy)
    wins = json.loads(copy.evaluation.read_text())["agents"]["ppo"]["wins"]
    copy.evaluation.unlink()
    resumed, evaluation = resume(copy.path, quiet())
    assert weights(resumed) == before
    assert evaluation["agents"]["ppo"]["wins"] == wins


def test_runs_that_cannot_go_on_say_why_in_one_line(tiny_run, tmp_path):
    def refusal(change, number):
        run = copy_of(tiny_run[0], tmp_path / f"run{number}")
        before = weights(run)
        change(run)
        with pytest.raises(InputError) as caught:
            resume(run.path, quiet())
        assert "\n" not in str(caught.value)
        assert weights(run) == before
        return str(caught.value)

    def other_words(run):
        config = yaml.safe_load(run.config.read_text())
        config["split"]["seed"] = 5
        run.config.write_text(yaml.safe_dump(config))

    def other_sizes(run):
        save_checkpoint(run.checkpoint, "ppo", {"step": 60_000, "best": 0.1, "ppo": {"policy": {}}})

    changes = [
        (lambda run: run.checkpoint.unlink(), "no checkpoint to go on from"),
        (lambda run: run.checkpoint.write_bytes(b"junk"), "not a readable checkpoint"),
        (lambda run: torch.save({"a": 1}, run.checkpoint), "not a checkpoint of this program"),
        (lambda run: run.config.unlink(), "not the folder of a run"),
        (lambda run: run.fitted_words.write_bytes(b"junk"), "not a readable list of word hashes"),
        (other_words, "its train words are not those"),
        (other_sizes, "does not fit the run's config"),
    ]
    for number, (change, said) in enumerate(changes):
        assert said in refusal(change, number)


def test_a_part_without_words_is_refused(tiny_files, tmp_path):
    for override, said in (
        ("env.min_length=30", "no train word of 30 to 32 letters"),
        ("split.fractions=[0.9, 0.1, 0.0]", "no test word"),
        ("split.fractions=[0.9, 0.1]", "not three shares"),
    ):
        config = load_config(tiny_files[0], [f"words={tiny_files[1]}", override])
        with pytest.raises(InputError) as caught:
            train(config, quiet(), tmp_path / "run")
        assert said in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_an_existing_directory_is_never_used_again(tiny_files, tmp_path):
    config = load_config(tiny_files[0])
    taken = [RunDirectory.create(config, tmp_path / "run").path.name for _ in range(3)]
    assert taken == ["run", "run-2", "run-3"]
    (tmp_path / "file").write_text("")
    assert RunDirectory.create(config, tmp_path / "file").path.name == "file-2"
    with pytest.raises(InputError, match="cannot make the folder"):
        RunDirectory.create(config, tmp_path / "file" / "run")
