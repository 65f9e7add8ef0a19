"""The prediction phase: targets are later observations, the loss is their likelihood."""

import copy
from typing import Any

import pytest
import torch

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.words import WordList
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.learners.windows import WindowsLearner
from hangman_lab.training.networks import WindowModule
from hangman_lab.training.prediction import prediction_loss


def state(pattern, wrong=""):
    """The word and the guessed letters of a game, as the loss takes them."""
    observation = parse_observation(pattern, wrong)
    return torch.from_numpy(observation["word"]), torch.from_numpy(observation["guessed"] != 0)


@pytest.fixture
def network():
    network = WindowModule(context=3, log_rows=9)
    generator = torch.Generator().manual_seed(0)
    torch.nn.init.normal_(network.windows, generator=generator)
    return network


def probabilities(network, *game):
    """The network's distribution of the letter behind each blank, shape (blanks, 26)."""
    with torch.no_grad():
        return network.blank_logits(*game)[0].softmax(dim=1).double()


@pytest.mark.parametrize(
    ("now", "end", "first", "second"),
    [
        ("_a_", ("cat", "e"), "c", "t"),
        # What is not shown later is an unguessed letter.
        ("_a_", ("_at", "eioux"), set(ALPHABET) - set("ateioux"), "t"),
        ("_a_", ("_a_", "e"), set(ALPHABET) - set("ae"), set(ALPHABET) - set("ae")),
    ],
)
def test_the_loss_is_that_of_the_letters_that_may_be_behind_each_blank(
    network, now, end, first, second
):
    now, end = state(now, "e"), state(*end)
    letters = probabilities(network, *now)
    possible = zip(letters, (first, second), strict=True)
    expected = -sum(row[list(map(letter_index, some))].sum().log() for row, some in possible) / 2
    loss = prediction_loss(network, *now, *end).item()
    assert loss == pytest.approx(float(expected), rel=1e-5, abs=1e-6)
    # Shown letters have no loss.
    whole = state("cat", "e")
    assert prediction_loss(network, *whole, *whole).item() == 0


def learner(tiny_files, *options) -> Any:
    common = """
        learner.kind=windows discount=0 reward.name=dense learner.num_envs=32 learner.batch_size=128
        learner.steps=2560 learner.prediction_rate=0.03 learner.log_rows=10
    """
    config = load_config(tiny_files[0], [*common.split(), *options])
    words = ("cat", "cow", "dog")
    run_words = RunWords(WordList(words, "words", {}), {"train": words}, (1, 32))
    return WindowsLearner(config, RunDirectory(tiny_files[0].parent), run_words).make_model()


def test_the_targets_are_later_observations_of_the_same_game(tiny_files, monkeypatch):
    """Any letter identifies the word, so that targets of another game would be detected."""
    pairs = []

    def recorded(network, word, guessed, last_word, last_guessed):
        pairs.append((word, guessed, last_word, last_guessed))
        return prediction_loss(network, word, guessed, last_word, last_guessed)

    monkeypatch.setattr("hangman_lab.training.prediction.prediction_loss", recorded)
    learner(tiny_files).learn(2560)
    word, guessed, last_word, last_guessed = (
        torch.cat(parts) for parts in zip(*pairs, strict=True)
    )
    assert len(word) == 2560
    shown = word > 1
    assert (last_word[shown] == word[shown]).all()
    assert (last_guessed >= guessed).all()
    # Most states are of games that end within the rollout, many of them with the whole word.
    assert ((last_word > 1).sum(dim=1) > shown.sum(dim=1)).float().mean() > 0.2


def test_without_the_policy_gradient_the_windows_still_learn(tiny_files):
    model = learner(tiny_files, "learner.epochs=0")
    rest = copy.deepcopy(model.policy.module.state_dict())
    game = state("_a_")
    before = probabilities(model.policy.module, *game)
    model.learn(2560)
    after = probabilities(model.policy.module, *game)
    assert after[0, 2] > 2 * before[0, 2]
    for name, tensor in model.policy.module.state_dict().items():
        assert torch.equal(tensor, rest[name]) == (name != "windows")
