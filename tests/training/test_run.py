import io
import json

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console
from safetensors.numpy import save_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.posterior.posterior import UniformPosterior, load_posterior
from agents.ppo.agent import PPOAgent, load_network
from envs.errors import InputError
from envs.words import Split, hash_words, read_word_list
from evaluation.analysis import reliability
from evaluation.arena import play
from runs.config import load_config
from runs.directory import RunDirectory
from tests.training.listed import known_words
from training.checkpoint import load_checkpoint, save_checkpoint
from training.posterior import hold_back
from training.ppo import make_model
from training.run import TrainingRun, resume, train


@pytest.fixture(autouse=True)
def _few_known_words_at_the_end(monkeypatch):
    monkeypatch.setattr("training.stages._NUM_KNOWN", 400)


def quiet():
    return Console(file=io.StringIO(), width=120)


def weights(run):
    files = (run.posterior, run.held_back_posterior, run.policy)
    return [file.read_bytes() for file in files]


def parts_of(words_file):
    return Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(words_file))


@pytest.mark.slow
def test_a_run_directory_holds_what_is_needed_to_understand_and_repeat_it(tiny_run, tiny_files):
    run, _ = tiny_run
    names = {path.name for path in run.path.iterdir()}
    expected = """
        config.yaml command.txt split.json fitted_words.npy checkpoint.pt posterior.safetensors
        held_back_posterior.safetensors policy.safetensors evaluation.json
    """
    assert set(expected.split()) <= names
    assert any(name.startswith("events.out.tfevents") for name in names)
    assert not any(name.endswith(".tmp") for name in names)
    assert run.load_config() == load_config(tiny_files[0], [f"words={tiny_files[1]}"])
    parts = parts_of(tiny_files[1])
    split = json.loads(run.split.read_text())
    assert split["counts"] == {name: len(words) for name, words in parts.items()}
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(parts["train"])))
    assert load_checkpoint(run.checkpoint)[0] == "done"


@pytest.mark.slow
def test_the_run_ends_with_the_final_words_played_side_by_side(tiny_run, tiny_files):
    run, printed = tiny_run
    evaluation = json.loads(run.evaluation.read_text())
    assert list(evaluation["agents"]) == ["ppo", "posterior", "dictionary", "random"]
    assert evaluation["split"] == "test"
    words = parts_of(tiny_files[1])["test"]
    for name, figures in evaluation["agents"].items():
        assert figures["games"] == len(words)
        assert figures["seen"] == 0
        assert name in printed
        assert f"{figures['win_rate']:.1%}" in printed
    # What lies in the directory is what was played.
    agent = PPOAgent(load_posterior(run.posterior), load_network(run.policy))
    assert play(agent, words).won.sum() == evaluation["agents"]["ppo"]["wins"]


@pytest.mark.slow
def test_known_words_and_words_that_cannot_be_known_have_figures_of_their_own(tiny_run, tiny_files):
    run, printed = tiny_run
    evaluation = json.loads(run.evaluation.read_text())
    known, excluded = evaluation["known"], evaluation["excluded"]
    parts = parts_of(tiny_files[1])
    assert (evaluation["known"]["split"], evaluation["excluded"]["split"]) == ("train", "test")
    for name in ("ppo", "posterior", "dictionary"):
        assert known["agents"][name]["games"] == known["agents"][name]["seen"]
        assert known["agents"][name]["games"] == 400
        assert excluded["agents"][name]["games"] == len(parts["test"])
        assert excluded["agents"][name]["seen"] == 0
    network = load_network(run.policy)
    sure = PPOAgent(load_posterior(run.posterior, 0.0), network)
    assert play(sure, parts["test"]).won.sum() == excluded["agents"]["ppo"]["wins"]
    # Whoever may know the secret wins more of the known words than of the others.
    for name in ("ppo", "posterior"):
        low = known["agents"][name]["ci95"][0]
        assert low > evaluation["agents"][name]["ci95"][1]
        for figures in (known, excluded):
            assert f"{figures['agents'][name]['win_rate']:.1%}" in printed


@pytest.mark.slow
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
    "valid/known_win_rate",
    "rollout/win_rate",
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "train/entropy_loss",
    "train/approx_kl",
    "train/explained_variance",
    "train/learning_rate",
    "time/fps",
    "final/ppo_unseen_win_rate",
    "final/ppo_known_win_rate",
    "final/posterior_excluded_win_rate",
    "final/random_unseen_win_rate",
}


def curves(path):
    events = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    return events


@pytest.mark.slow
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
    # The first point is the policy before PPO.
    assert events.Scalars("valid/win_rate")[0].step == 0
    evaluation = json.loads(run.evaluation.read_text())
    for name, figures in (("unseen", evaluation), ("known", evaluation["known"])):
        final = events.Scalars(f"final/ppo_{name}_win_rate")[-1].value
        assert final == pytest.approx(figures["agents"]["ppo"]["win_rate"])
    text = events.Tensors("valid/sample_games/text_summary")[0].tensor_proto.string_val[0]
    assert b"guess" in text


@pytest.mark.slow
def test_valid_and_test_words_are_in_nothing_that_is_fitted(tinier_files, tmp_path):
    """Other valid or test words, all else the same: the same weights up to model selection."""
    config_file, words_file = tinier_files
    split = Split(0, (0.8, 0.1, 0.1))
    words = read_word_list(words_file).words
    parts = parts_of(words_file)
    others = sorted({word[::-1] for word in words} - set(words))

    def run_with(part, *options):
        """Train where half as many other words stand in the place of one part."""
        replaced = [word for word in others if split.part(word) == part][: len(parts[part]) // 2]
        path = tmp_path / f"{part}.txt"
        kept = [word for name in parts for word in parts[name] if name != part]
        path.write_text("\n".join([*kept, *replaced]))
        config = load_config(config_file, [f"words={path}", *options])
        return train(config, quiet(), tmp_path / part)

    config = load_config(config_file, [f"words={words_file}", "ppo.steps=2048"])
    one, one_evaluation = train(config, quiet(), tmp_path / "one")
    other, other_evaluation = run_with("test", "ppo.steps=2048")
    assert weights(one) == weights(other)
    games = [e["agents"]["dictionary"]["games"] for e in (one_evaluation, other_evaluation)]
    assert games[0] == len(parts["test"]) != games[1]
    # Valid words choose the policy, and nothing else.
    other, _ = run_with("valid", "ppo.steps=0")
    assert weights(one)[:2] == weights(other)[:2]
    assert not np.isin(hash_words(parts["test"] + parts["valid"]), one.load_fitted_words()).any()
    listed = known_words(load_posterior(one.posterior))
    assert listed == set(parts["train"])


@pytest.mark.slow
def test_training_from_scratch_needs_no_posterior(tinier_files, tmp_path):
    config = load_config(
        tinier_files[0],
        [
            f"words={tinier_files[1]}",
            "posterior.enabled=false",
            "windows.log_rows=10",
            "ppo.steps=1024",
            "reward.name=potential",
            "discount=0.95",
            "final_split=valid",
        ],
    )
    run, evaluation = train(config, quiet(), tmp_path / "run")
    assert evaluation["agents"]["ppo"]["games"] > 0
    assert evaluation["split"] == "valid"
    for path in (run.posterior, run.held_back_posterior):
        assert isinstance(load_posterior(path), UniformPosterior)
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


@pytest.mark.slow
def test_a_run_that_was_killed_before_its_first_state_goes_on(tinier_files, tmp_path):
    config = load_config(tinier_files[0], [f"words={tinier_files[1]}", "ppo.steps=1024"])
    whole, _ = train(config, quiet(), tmp_path / "whole")
    begun = RunDirectory.create(config, tmp_path / "begun")
    parts = parts_of(tinier_files[1])
    begun.write_split(config, str(tinier_files[1]), parts)
    save_checkpoint(begun.checkpoint, "begun", {})
    (begun.path / ".checkpoint.pt.99.tmp").write_text("left by a killed process")
    resumed, _ = resume(begun.path, quiet())
    assert weights(resumed) == weights(whole)
    assert not list(begun.path.glob(".*.tmp"))


@pytest.mark.slow
def test_a_policy_that_is_trained_from_scratch_learns_within_seconds(tiny_files, tmp_path):
    """From rewards alone: ten wrong guesses lose, so that even random letters win some games."""
    options = [
        "posterior.enabled=false",
        "windows.log_rows=14",
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


@pytest.mark.slow
def test_half_of_ppos_games_have_words_that_their_posterior_was_not_fitted_on(
    tinier_files, tmp_path, monkeypatch
):
    made = []

    def make(config, posterior, unknown, known):
        model = make_model(config, posterior, unknown, known)
        made.append((model, set(unknown), set(known)))
        return model

    monkeypatch.setattr("training.stages.make_model", make)
    options = [f"words={tinier_files[1]}", "ppo.steps=1_024", "final_split=valid"]
    run, _ = train(load_config(tinier_files[0], options), quiet(), tmp_path / "run")
    train_words = set(parts_of(tinier_files[1])["train"])
    ((model, unknown, known),) = made
    played_with = known_words(model.env.posterior)
    # All posteriors of a run know their words, so that the one of all words would fail here.
    assert played_with == known
    assert not played_with & unknown
    assert played_with | unknown == train_words
    assert unknown == set(hold_back(tuple(sorted(train_words)))[0])
    assert 0.07 < len(unknown) / len(train_words) < 0.13
    assert known_words(load_posterior(run.posterior)) == train_words
    assert known_words(load_posterior(run.held_back_posterior)) == known


@pytest.mark.parametrize("known", [0.0, 0.5])
@pytest.mark.slow
def test_the_posterior_is_calibrated_on_valid_words(tiny_run, tiny_files, known):
    run, _ = tiny_run
    valid = parts_of(tiny_files[1])["valid"]
    agent = load_posterior(run.posterior, known)
    # Where half of the secrets are said to be known, so they are.
    words = valid if known == 0 else [*valid, *parts_of(tiny_files[1])["train"][::8][: len(valid)]]
    figures = reliability(play(agent, words), agent)
    assert figures["predictions"] > 20_000
    # On average a probability is within 3 points of the share of letters that were hidden.
    assert figures["expected_calibration_error"] < 0.03
    # The error is seen: a posterior that is sure where this one is not fails the same check.
    overconfident = load_posterior(run.posterior, known)
    monotone = overconfident.letter_probabilities
    overconfident.letter_probabilities = lambda states: np.round(monotone(states))
    wrong = reliability(play(agent, words), overconfident)
    assert wrong["expected_calibration_error"] > 0.05


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("step", [None, 2_048], ids=["before its first step", "in the middle"])
@pytest.mark.slow
def test_a_run_that_stops_in_ppo_goes_on_to_the_same_weights(
    tiny_files, tiny_run, tmp_path, monkeypatch, step
):
    config = load_config(tiny_files[0], [f"words={tiny_files[1]}"])
    saved = TrainingRun.save

    def stop(training, phase, state):
        saved(training, phase, state)
        if phase == "ppo" and state.get("step") == step:
            raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "save", stop)
        with pytest.raises(StoppedError):
            train(config, quiet(), tmp_path / "stopped")
    phase, state = load_checkpoint(tmp_path / "stopped" / "checkpoint.pt")
    assert (phase, state.get("step")) == ("ppo", step)

    def fit(*_):
        raise AssertionError("it is fitted already")

    monkeypatch.setattr("training.run.fit_posterior", fit)
    resumed, _ = resume(tmp_path / "stopped", quiet())
    assert weights(resumed) == weights(tiny_run[0])


@pytest.mark.slow
def test_ppo_alone_that_stops_goes_on_to_the_same_weights(tinier_files, tmp_path, monkeypatch):
    options = ["posterior.enabled=false", "windows.log_rows=10", "validation.every=100_000"]
    config = load_config(tinier_files[0], [f"words={tinier_files[1]}", *options])
    whole, _ = train(config, quiet(), tmp_path / "whole")

    saved = TrainingRun.save

    def stop(training, phase, state):
        saved(training, phase, state)
        if state.get("step") == 2_048:
            raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "save", stop)
        with pytest.raises(StoppedError):
            train(config, quiet(), tmp_path / "stopped")
    assert load_checkpoint(tmp_path / "stopped" / "checkpoint.pt")[0] == "ppo"
    resumed, _ = resume(tmp_path / "stopped", quiet())
    assert weights(resumed) == weights(whole)


def copy_of(run, path):
    path.mkdir()
    for file in run.path.iterdir():
        if "tfevents" not in file.name:
            (path / file.name).write_bytes(file.read_bytes())
    return RunDirectory.open(path)


@pytest.mark.slow
def test_resuming_a_finished_run_plays_its_final_words_again(tiny_run, tmp_path):
    copy = copy_of(tiny_run[0], tmp_path / "copy")
    before = weights(copy)
    wins = json.loads(copy.evaluation.read_text())["agents"]["ppo"]["wins"]
    copy.evaluation.unlink()
    resumed, evaluation = resume(copy.path, quiet())
    assert weights(resumed) == before
    assert evaluation["agents"]["ppo"]["wins"] == wins


@pytest.mark.slow
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
        save_checkpoint(run.checkpoint, "ppo", {"step": 4_096, "best": 0.1, "ppo": {"policy": {}}})

    def earlier_version(run):
        config = yaml.safe_load(run.config.read_text())
        del config["posterior"]
        config["warm_start"] = {"enabled": True, "states": 60_000, "folds": 1}
        run.config.write_text(yaml.safe_dump(config))

    changes = [
        (lambda run: run.checkpoint.unlink(), "no checkpoint to go on from"),
        (lambda run: run.checkpoint.write_bytes(b"junk"), "not a readable checkpoint"),
        (lambda run: torch.save({"a": 1}, run.checkpoint), "not a checkpoint of this program"),
        (lambda run: run.config.unlink(), "not the folder of a run"),
        (lambda run: run.fitted_words.write_bytes(b"junk"), "not a readable list of word hashes"),
        (other_words, "its train words are not those"),
        (other_sizes, "does not fit the run's config"),
        (earlier_version, "a run of an earlier version, with learned windows; train anew"),
    ]
    for number, (change, said) in enumerate(changes):
        assert said in refusal(change, number)


@pytest.mark.slow
def test_a_posterior_of_an_earlier_version_is_refused_in_one_line(tiny_run, tmp_path):
    for name in ("posterior.safetensors", "held_back_posterior.safetensors"):
        run = copy_of(tiny_run[0], tmp_path / name.partition(".")[0])
        save_checkpoint(run.checkpoint, "ppo", {})
        save_file({"windows.reach": np.array(4), "format": np.array(1)}, run.path / name)
        before = weights(run)
        with pytest.raises(InputError, match="another version; train anew") as caught:
            resume(run.path, quiet())
        assert str(run.path / name) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert weights(run) == before


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
