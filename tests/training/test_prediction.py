"""The auxiliary phase: targets are later observations, the loss is their likelihood."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.training.networks import WindowModule
from hangman_lab.training.prediction import last_observations, prediction_loss


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


def test_without_the_policy_gradient_the_windows_learn_the_letters_of_their_own_games(make_model):
    options = """
        discount=0 reward.name=dense learner.num_envs=32 learner.batch_size=128 learner.epochs=0
        learner.steps=2560 learner.auxiliary_learning_rate=0.1 learner.log_rows=10
    """
    model = make_model(("cat", "cow", "dog"), options)
    rest = copy.deepcopy(model.policy.module.state_dict())
    model.learn(2560)
    # Any letter identifies the word: letters of another game would be expected behind the rest.
    for pattern, hidden in (("_a_", "ct"), ("__w", "co"), ("d__", "og")):
        letters = probabilities(model.policy.module, *state(pattern))
        for blank, letter in enumerate(hidden):
            assert letters[blank, letter_index(letter)] > 0.9
    for name, tensor in model.policy.module.state_dict().items():
        assert torch.equal(tensor, rest[name]) == (name != "windows")


def test_a_target_is_the_terminal_observation_of_the_game_or_that_after_the_rollout():
    def observed(*numbers):
        column = np.array(numbers, dtype=np.uint8)[:, None]
        return {"word": column.repeat(3, axis=1), "guessed": column.repeat(26, axis=1)}

    terminal: Any = {
        place: {name: array[0] for name, array in observed(number).items()}
        for place, number in (((1, 0), 1), ((3, 0), 2), ((0, 1), 3))
    }
    following: Any = observed(4, 5)
    for array in last_observations(terminal, following, 5).values():
        assert array[:, :, -1].T.tolist() == [[1, 1, 2, 2, 4], [3, 5, 5, 5, 5]]
