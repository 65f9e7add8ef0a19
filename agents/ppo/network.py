"""The policy network on the posterior, computed by NumPy, and its features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.envs.encoding import BLANK, LETTER_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.hangman.observation import Observations

NUM_LETTER_FEATURES = 6
_NUM_TOP = 5
NUM_STATE_FEATURES = 11 + _NUM_TOP
LIVES_UNIT = 6  # Lives are divided by this.
_MAX_LOG_ODDS = 8.0  # The odds e**-8 are 0.0003.
# Look-ahead gaps are clipped to this, in percentage points.
_MAX_GAP = 10.0

Array = npt.NDArray[np.float32]
Shapes = dict[str, tuple[int, ...]]


class Network(ABC):
    """Scores the 26 letters with the weights of a module that was trained by torch.

    Parameters
    ----------
    weights : mapping of str to ndarray of float32
        The module's state, by name.
    **sizes
        The arguments of the module, which decide the shapes of the weights.

    Raises
    ------
    TypeError
        If a size is unknown.
    ValueError
        If the weights do not have these names, shapes and the dtype.
    """

    kind: ClassVar[str]  # The key of the sizes in the metadata of a file.

    def __init__(self, weights: Mapping[str, Array], **sizes: Any) -> None:
        self.weights = dict(weights)
        self.sizes = sizes
        expected = {name: (shape, np.float32) for name, shape in self._shapes(**sizes).items()}
        if {name: (array.shape, array.dtype) for name, array in weights.items()} != expected:
            raise ValueError(f"the weights do not fit the sizes {sizes}")

    @staticmethod
    @abstractmethod
    def _shapes(*args: Any, **sizes: Any) -> Shapes:
        """Return the shapes of the weights for the sizes."""

    @abstractmethod
    def letter_scores(self, features: Any) -> Array:
        """Return the letter scores of N games, shape (N, 26)."""


class PolicyNetwork(Network):
    """Scores the 26 letters from :func:`policy_features`, by one network shared by the letters."""

    kind = "network"

    @staticmethod
    def _shapes(letter_hidden: int, look_ahead_lives: int) -> Shapes:
        return {
            **perceptron_shapes("letters", NUM_LETTER_FEATURES + NUM_STATE_FEATURES, letter_hidden),
            **perceptron_shapes("value", NUM_STATE_FEATURES, letter_hidden),
        }

    def letter_scores(self, features: Mapping[str, Array]) -> Array:
        """Return the letter scores of N games, shape (N, 26)."""
        weights, letters = self.weights, features["letters"]
        of_letter, of_state = np.split(weights["letters.0.weight"].T, [NUM_LETTER_FEATURES])
        # A small product for each game: BLAS would compute a large one in threads, whose busy
        # waiting for the next one slows those of the posterior.
        sums = letters @ of_letter
        sums += features["state"][:, None] @ of_state + weights["letters.0.bias"]
        for layer in ("letters.2", "letters.4"):
            sums = np.tanh(sums, out=sums) @ weights[f"{layer}.weight"].T
            sums += weights[f"{layer}.bias"]
        return sums[:, :, 0]


def perceptron_shapes(name: str, num_inputs: int, num_hidden: int) -> Shapes:
    """Return the shapes of a network with two hidden layers, which are 0, 2 and 4 of ``name``."""
    sizes = (num_inputs, num_hidden, num_hidden, 1)
    shapes: Shapes = {}
    for layer in range(3):
        shapes[f"{name}.{2 * layer}.weight"] = (sizes[layer + 1], sizes[layer])
        shapes[f"{name}.{2 * layer}.bias"] = (sizes[layer + 1],)
    return shapes


def policy_features(
    posterior: LetterPosterior, observations: Observations, look_ahead_lives: int = 0
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the inputs of :class:`PolicyNetwork` for N games.

    The look-ahead is used in games with at most ``look_ahead_lives`` lives.

    Returns
    -------
    dict
        ``letters``, float32 of shape (N, 26, 6): the log-odds of the letter, its log-odds relative
        to the likeliest letter, its probability, whether it was guessed, whether it was guessed
        wrong, and its look-ahead gap to the best letter in percentage points from -10 to 0 (-10
        for letters that were not evaluated, 0 for all letters without look-ahead).
        ``state``, float32 of shape (N, 16): lives / 6, one life left, two lives left, blanks / 10,
        length / 10, share of shown places, guessed letters / 26, expected number of different
        hidden letters / 10, the probability of a listed word, whether there is a look-ahead, its
        highest probability of winning (0 without), and the five highest letter probabilities.
    """
    lives, guessed = observations["lives"], observations["guessed"] != 0
    blanks = (observations["word"] == BLANK).sum(axis=1)
    lengths = (observations["word"] != PADDING).sum(axis=1)
    wrong = guessed & ~(observations["word"][:, :, None] == LETTER_CODES).any(axis=1)
    belief = posterior.belief(observations)
    probability = np.clip(belief.present, 1e-6, 1 - 1e-6)
    log_odds = np.log(probability / (1 - probability)).clip(-_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    log_odds[guessed] = -_MAX_LOG_ODDS
    relative = log_odds - log_odds.max(axis=1, keepdims=True)
    wins = posterior.win_probabilities(observations, belief, look_ahead_lives)
    wins = np.where(np.isnan(wins), -1.0, wins)
    best = wins.max(axis=1)
    has_look_ahead = best >= 0
    best = np.where(has_look_ahead, best, 0.0)
    gap = np.where(has_look_ahead[:, None], 100 * (wins - best[:, None]), 0.0).clip(-_MAX_GAP, 0.0)
    letters = np.stack([log_odds, relative, belief.present, guessed, wrong, gap], axis=2)
    state = np.column_stack(
        [
            lives / LIVES_UNIT,
            lives == 1,
            lives == 2,
            blanks / 10,
            lengths / 10,
            1 - blanks / lengths,
            guessed.sum(axis=1) / NUM_LETTERS,
            belief.present.sum(axis=1) / 10,
            belief.prob_listed,
            has_look_ahead,
            best,
            -np.sort(-belief.present, axis=1)[:, :_NUM_TOP],
        ]
    )
    return {"letters": letters.astype(np.float32), "state": state.astype(np.float32)}
