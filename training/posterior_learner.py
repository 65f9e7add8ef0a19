"""Learning the window posterior: gradients of a batch of games, and Adagrad on the rows they use.

Both passes run on all cores and are deterministic: gradients are computed from a table that does
not change meanwhile, and each row is updated by one thread, which adds up its gradients in the
order of the games. The result does not depend on the number of threads.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt
from numba import njit, prange

from agents.posterior.kernels import (
    LANES,
    NUM_EXTRA_ROWS,
    NUM_LENGTH_ROWS,
    PLACE_NUMBERS,
    WINDOW_NUMBERS,
    blank_probabilities,
    find_absent,
    find_blanks,
    mix,
    window_rows,
)
from agents.posterior.windows import MAX_ROWS, WindowPosterior
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_LETTERS
from envs.hangman.observation import Observation

# The lane of a row that holds its sum of squared gradients.
_SQUARES = NUM_LETTERS
_LOWEST = np.float32(1e-4)


class PosteriorLearner:
    """Updates a :class:`WindowPosterior` from games whose secret words are known.

    The loss of a game is the cross-entropy of the letter behind each blank plus the binary
    cross-entropy of each letter's presence. Adagrad keeps one sum of squares a row.

    Parameters
    ----------
    model : WindowPosterior
        It is changed in place.
    num_games : int
        Games of a batch.
    window_dropout : float
        The probability, a place of its size, that a window is left out of a game's sum; ...
    max_dropout : float
        ... at most this.
    presence_weight : float
        Weight of the presence loss against the cross-entropy.
    seed : int
        Of the dropout.

    References
    ----------
    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic
    optimization", JMLR 2011.
    """

    def __init__(
        self,
        model: WindowPosterior,
        num_games: int,
        window_dropout: float = 0.0,
        max_dropout: float = 0.5,
        presence_weight: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.model = model
        self.presence_weight = np.float32(presence_weight)
        self.seed = seed
        chance = np.minimum(window_dropout * np.arange(model.reach + 1), max_dropout)
        self._drop_below = (chance * 2**32).astype(np.uint64)
        blanks = num_games * MAX_LENGTH
        self._rows = np.zeros((blanks, MAX_ROWS), dtype=np.int32)
        self._num_rows = np.zeros(blanks, dtype=np.int64)
        self._gradients = np.zeros((blanks, LANES), dtype=np.float32)
        self._losses = np.zeros(num_games)
        self._present = np.zeros((num_games, NUM_LETTERS), dtype=np.float32)

    def update(
        self,
        observations: Observation,
        secrets: npt.NDArray[np.uint8],
        learning_rate: float,
        number: int,
    ) -> tuple[npt.NDArray[np.float32], float]:
        """Take one step on a batch.

        Parameters
        ----------
        observations : Observation
            Of ``num_games`` games that are not over.
        secrets : ndarray of uint8, shape (num_games, width)
            The codes of the secret words.
        learning_rate : float
        number : int
            Of this update; it keys the dropout.

        Returns
        -------
        present : ndarray of float32, shape (num_games, 26)
            The probability of each letter before the step, with dropout.
        loss : float
            The mean loss of a game.
        """
        _gradients(
            observations["word"],
            observations["guessed"],
            secrets,
            self.model.table,
            self.model.reach,
            self.model.shift,
            PLACE_NUMBERS,
            WINDOW_NUMBERS,
            self._drop_below,
            np.uint64(self.seed),
            np.uint64(number),
            self.presence_weight,
            self._rows,
            self._num_rows,
            self._gradients,
            self._present,
            self._losses,
        )
        _adagrad(
            self.model.table,
            self._rows,
            self._num_rows,
            self._gradients,
            np.float32(learning_rate),
            numba.get_num_threads(),
        )
        return self._present, float(self._losses.mean())


@njit(cache=True, parallel=True)
def _gradients(  # noqa: ANN202
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    secrets,  # noqa: ANN001
    table,  # noqa: ANN001
    reach,  # noqa: ANN001
    shift,  # noqa: ANN001
    place_numbers,  # noqa: ANN001
    window_numbers,  # noqa: ANN001
    drop_below,  # noqa: ANN001
    seed,  # noqa: ANN001
    update,  # noqa: ANN001
    presence_weight,  # noqa: ANN001
    all_rows,  # noqa: ANN001
    num_rows,  # noqa: ANN001
    gradients,  # noqa: ANN001
    present,  # noqa: ANN001
    losses,  # noqa: ANN001
):
    """Write rows and gradient of each blank; blank k of game g is entry ``g * MAX_LENGTH + k``."""
    num_games = len(word)
    num_blocks = min(64, num_games)
    first_extra_row = len(table) - NUM_EXTRA_ROWS
    stream = mix(mix(seed + np.uint64(1)) + update)
    for block in prange(num_blocks):
        blanks = np.empty(MAX_LENGTH, dtype=np.int64)
        absent = np.empty(NUM_LETTERS, dtype=np.int64)
        rows = np.empty(MAX_ROWS, dtype=np.int64)
        sizes = np.empty(MAX_ROWS, dtype=np.int64)
        probabilities = np.empty((MAX_LENGTH, LANES), dtype=np.float32)
        missing = np.empty(LANES, dtype=np.float32)
        slope = np.zeros(LANES, dtype=np.float32)
        chain = np.zeros(LANES, dtype=np.float32)
        start = block * num_games // num_blocks
        stop = (block + 1) * num_games // num_blocks
        for game in range(start, stop):
            num_blanks, length = find_blanks(word[game], blanks)
            num_absent = find_absent(word[game], guessed[game], absent)
            random = mix(stream + np.uint64(game) * np.uint64(0x9E3779B97F4A7C15))
            missing[:] = 1
            loss = 0.0
            for number in range(num_blanks):
                entry = game * MAX_LENGTH + number
                count = window_rows(
                    word[game],
                    blanks[number],
                    length,
                    reach,
                    shift,
                    place_numbers,
                    window_numbers,
                    rows,
                    sizes,
                )
                kept = 0
                for window in range(count):
                    random = mix(random + np.uint64(window))
                    if (random & np.uint64(0xFFFFFFFF)) >= drop_below[sizes[window]]:
                        rows[kept] = rows[window]
                        kept += 1
                rows[kept] = first_extra_row + length
                kept += 1
                for letter in range(num_absent):
                    rows[kept] = first_extra_row + NUM_LENGTH_ROWS + absent[letter]
                    kept += 1
                blank_probabilities(table, rows, kept, guessed[game], probabilities[number])
                for row in range(kept):
                    all_rows[entry, row] = rows[row]
                num_rows[entry] = kept
                for letter in range(NUM_LETTERS):
                    missing[letter] *= np.float32(1) - probabilities[number, letter]
            for number in range(num_blanks, MAX_LENGTH):
                num_rows[game * MAX_LENGTH + number] = 0

            for letter in range(NUM_LETTERS):
                present[game, letter] = np.float32(1) - missing[letter]
                slope[letter] = 0
                if guessed[game, letter]:
                    continue
                chance = min(max(present[game, letter], _LOWEST), np.float32(1) - _LOWEST)
                is_present = False
                for place in range(length):
                    is_present |= secrets[game, place] == letter + FIRST_LETTER
                if is_present:
                    slope[letter] = -presence_weight * (np.float32(1) - chance) / chance
                    loss -= presence_weight * np.log(chance)
                else:
                    slope[letter] = presence_weight
                    loss -= presence_weight * np.log(np.float32(1) - chance)
            for number in range(num_blanks):
                entry = game * MAX_LENGTH + number
                truth = secrets[game, blanks[number]] - FIRST_LETTER
                total = np.float32(0)
                for lane in range(LANES):
                    probability = probabilities[number, lane]
                    chain[lane] = (
                        slope[lane] * probability / max(np.float32(1) - probability, _LOWEST)
                    )
                    total += chain[lane]
                for lane in range(LANES):
                    gradients[entry, lane] = chain[lane] + probabilities[number, lane] * (
                        np.float32(1) - total
                    )
                gradients[entry, truth] -= np.float32(1)
                loss -= np.log(max(probabilities[number, truth], np.float32(1e-9)))
            losses[game] = loss


@njit(cache=True, parallel=True)
def _adagrad(table, all_rows, num_rows, gradients, learning_rate, num_owners):  # noqa: ANN001, ANN202
    for owner in prange(num_owners):
        for entry in range(len(num_rows)):
            at = np.uint64(entry)
            added = np.float32(0)
            for lane in range(NUM_LETTERS):
                added += gradients[at, np.uint64(lane)] * gradients[at, np.uint64(lane)]
            for number in range(num_rows[entry]):
                if all_rows[entry, number] % num_owners != owner:
                    continue
                row = np.uint64(all_rows[entry, number])
                squares = table[row, np.uint64(_SQUARES)] + added
                if squares == 0:
                    # The one letter that is left is certain, in a row that was never updated.
                    continue
                scale = learning_rate / np.sqrt(squares)
                for lane in range(LANES):
                    table[row, np.uint64(lane)] -= scale * gradients[at, np.uint64(lane)]
                table[row, np.uint64(_SQUARES)] = squares
