"""The policy network without a posterior: hashed windows of the masked word around each blank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from hangman_lab.agents.ppo.network import Array, Network, Shapes, perceptron_shapes
from hangman_lab.envs.bits import word_length
from hangman_lab.envs.encoding import BLANK, LETTER_CODES, NUM_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.numba_cache import in_threads, njit

_START = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
# Separators, which are not codes of a word.
_LEFT, _PLACE = NUM_CODES + 4, NUM_CODES + 5
# Multiplies the learned log-sharpness. Adam's step size is fixed, so this sets how fast the policy
# sharpens.
SHARPNESS_UNIT = 10.0
NUM_VALUE_FEATURES = 13
VALUE_HIDDEN = 32
# Added to the expected number of a letter before its logarithm.
MIN_EXPECTED = 1e-6


class WindowNetwork(Network):
    """Scores the 26 letters from the observation alone.

    A window is a blank with up to ``context`` places around it, both sides together. Its hash is a
    row of the embedding ``windows``, which has ``2**log_rows`` rows; windows with the same hash
    share a row. The softmax of the summed rows of a blank, over the unguessed letters, is a
    distribution over the letter behind it; the sum over blanks is the expected number of
    occurrences of a letter. The letter's score is the logarithm of this, times a learned
    sharpness, plus a linear layer of the shown and the wrong letters.
    """

    kind = "windows"

    @staticmethod
    def _shapes(context: int, log_rows: int) -> Shapes:
        return {
            "windows": (2**log_rows, NUM_LETTERS),
            "log_sharpness": (),
            "guessed.weight": (NUM_LETTERS, 2 * NUM_LETTERS),
            **perceptron_shapes("value", NUM_VALUE_FEATURES, VALUE_HIDDEN),
        }

    def letter_scores(self, features: Observations) -> Array:
        """Return the letter scores of N observations, shape (N, 26)."""
        word, guessed = features["word"], features["guessed"] != 0
        sums, first_blank = window_sums(word, self.weights["windows"], self.sizes["context"])
        blanks = np.diff(first_blank)
        expected = np.full(guessed.shape, MIN_EXPECTED, dtype=np.float32)
        if len(sums):
            sums[np.repeat(guessed, blanks, axis=0)] = -np.inf
            games = np.flatnonzero(blanks)
            expected[games] += np.add.reduceat(softmax(sums, axis=1), first_blank[games])
        shown = (word[:, :, None] == LETTER_CODES).any(axis=1)
        letters = np.concatenate([shown, guessed & ~shown], axis=1).astype(np.float32)
        sharpness = np.exp(SHARPNESS_UNIT * self.weights["log_sharpness"])
        return np.log(expected) * sharpness + letters @ self.weights["guessed.weight"].T


def window_sums(
    words: npt.NDArray[np.uint8], weight: Array, context: int
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return the sum of each blank's rows of ``weight``, and the first blank of each game.

    The shapes are (blanks, 26) and (N + 1,).
    """
    first_blank = np.concatenate([[0], (words == BLANK).sum(axis=1).cumsum()])
    sums = np.empty((first_blank[-1], NUM_LETTERS), dtype=np.float32)
    in_threads(_sum_windows, words, first_blank, context, weight, sums)
    return sums, first_blank


@njit(inline="always")
def _mix(key, code):
    key = (key ^ (np.uint64(code) + np.uint64(1))) * _MIX
    return key ^ (key >> np.uint64(29))


@njit
def find_windows(word, length, place, context, mask, rows):
    """Write the rows of a blank's windows to ``rows``; return their number.

    A window whose outermost place is a blank is skipped: the next smaller one carries the same
    information.
    """
    rows[0] = _mix(_mix(_mix(_START, _PLACE), length), place) & mask
    count = 1
    left = _START
    for before in range(context + 1):
        if before > 0:
            code = word[place - before] if place >= before else PADDING
            left = _mix(left, code)
            if code == BLANK:
                continue
        key = _mix(left, _LEFT)
        for after in range(context - before + 1):
            code = PADDING
            if after > 0:
                if place + after < length:
                    code = word[place + after]
                key = _mix(key, code)
                if code == BLANK:
                    continue
            rows[count] = key & mask
            count += 1
            if after > 0 and code == PADDING:
                break
        if before > place:
            break
    return count


@njit
def _sum_windows(thread, num_threads, words, first_blank, context, weight, sums):
    """Write the sum of each blank's rows of ``weight`` to ``sums``, shape (blanks, 26)."""
    mask = np.uint64(len(weight) - 1)
    rows = np.empty((context + 1) ** 2 + 1, dtype=np.uint64)
    for game in range(thread, len(words), num_threads):
        word, blank = words[game], first_blank[game]
        length = word_length(word)
        for place in range(length):
            if word[place] != BLANK:
                continue
            sums[blank] = 0
            for window in range(find_windows(word, length, place, context, mask, rows)):
                row = rows[window]
                for letter in range(NUM_LETTERS):
                    sums[blank, letter] += weight[row, letter]
            blank += 1
