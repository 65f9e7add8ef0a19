"""The pretrained policy in the repository."""

import json

import numpy as np
import pytest

import hangman_lab
from hangman_lab.agents import PosteriorAgent
from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.words import DEFAULT_KNOWN, default_word_list, hash_words
from hangman_lab.evaluation.arena import play
from hangman_lab.run_files.agents import LEARNED_AGENTS, load_run_agent
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory


@pytest.fixture(scope="module")
def run():
    return RunDirectory.open(PRETRAINED)


@pytest.fixture(scope="module")
def parts(run):
    config = run.load_config()
    return config.split.make().divide(default_word_list())


def test_it_is_small_and_holds_no_pickle():
    assert max(path.stat().st_size for path in PRETRAINED.iterdir()) <= 20 * 10**6
    kinds = {path.suffix for path in PRETRAINED.iterdir()}
    assert kinds <= {".safetensors", ".npy", ".yaml", ".json", ".md"}


def test_it_was_fitted_on_the_train_words_of_the_default_list(run, parts):
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(parts["train"])))
    # It has no other checksum, as runs of its time.
    assert run.check_split(parts, "web2") == ["valid", "test"]
    evaluation = json.loads(run.evaluation.read_text())
    assert evaluation["split"] == evaluation["tables"]["excluded"]["split"] == "test"
    assert evaluation["tables"]["known"]["split"] == "train"
    for figures in (evaluation, evaluation["tables"]["excluded"]):
        assert figures["agents"]["ppo"]["games"] == len(parts["test"])
        assert figures["agents"]["ppo"]["fitted"] == 0
    known = evaluation["tables"]["known"]["agents"]["ppo"]
    assert known["fitted"] == known["games"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "part", "known"),
    [(None, "test", DEFAULT_KNOWN), ("known", "train", DEFAULT_KNOWN), ("excluded", "test", 0.0)],
    ids=["unseen", "known", "excluded"],
)
def test_it_wins_as_often_as_its_card_says(run, parts, key, part, known):
    evaluation = json.loads(run.evaluation.read_text())
    figures = (evaluation if key is None else evaluation["tables"][key])["agents"]["ppo"]
    card = (PRETRAINED / "README.md").read_text()
    assert f"{100 * figures['win_rate']:.1f}%" in card
    agent = load_run_agent("ppo", run, (), known=known)
    sample = parts[part][:: len(parts[part]) // 500]
    won = play(agent, sample).won.mean()
    # Four standard errors of a sample of this size.
    tolerance = 4 * np.sqrt(figures["win_rate"] * (1 - figures["win_rate"]) / len(sample))
    assert won == pytest.approx(figures["win_rate"], abs=tolerance)


def test_it_is_nearly_certain_of_a_letter_of_an_unseen_word(run):
    assert not np.isin(hash_words(["apple"]), run.load_fitted_words()).any()
    game = parse_observation("_pp_e", "io")
    for name in LEARNED_AGENTS:
        agent = load_run_agent(name, run, ())
        assert isinstance(agent, PosteriorAgent)
        assert agent.letter_probabilities(game)[0, letter_index("l")] > 0.95
        assert agent.act_batch(game).tolist() == [letter_index("l")]


def test_an_agent_that_the_run_does_not_have_is_refused():
    with pytest.raises(
        InputError, match=r"has no agent 'dictionary', only ppo, look-ahead, posterior"
    ):
        hangman_lab.load_pretrained("dictionary")
