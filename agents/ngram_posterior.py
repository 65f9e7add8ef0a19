"""Guessing by a smoothed n-gram model of whole words and by the words that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.base import PosteriorAgent, ScoringAgent
from agents.dictionary import DictionaryAgent
from agents.smoothed_ngrams import END, NUM_SYMBOLS, SmoothedNgrams
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING
from envs.hangman.observation import Observation, select


class NgramPosteriorAgent(ScoringAgent, PosteriorAgent):
    """Guesses the letter that is most likely behind a blank, by counts alone.

    The word is a draw from a smoothed character n-gram model that agrees with all that is shown:
    shown letters stand where they are shown, blanks hold letters that have not been guessed, and
    the word ends where it does. The probability that a letter is behind some blank is one minus
    the share of the model's words without it, summed over all words by a forward pass that keeps
    for each context the mass of the beginnings without each letter. Contexts are pruned to a beam
    by their mass so far times the mass of what can follow, which an exact backward pass over
    n-grams of order 3 gives.

    Where words of the list fit, the share of them that has the letter is mixed in: ``n`` fitting
    words weigh as ``n`` against ``prior_weight`` for the model.

    Parameters
    ----------
    order : int, default 7
        Of the n-grams.
    discount_scale : float, default 1.15
        Of :class:`~agents.smoothed_ngrams.SmoothedNgrams`.
    prior_weight : float, default 20
        Above 0; infinity leaves the fitting words out.
    beam : float, default 1e-3
        Contexts below this share of a place's mass are dropped; 0 keeps all, and is exact.

    References
    ----------
    Chen and Goodman (1999) for the smoothing. The mixture is that of a Dirichlet prior: David J.
    C. MacKay and Linda C. Bauman Peto, "A hierarchical Dirichlet language model", Natural Language
    Engineering 1 (1995).
    """

    uses_lives = False

    def __init__(
        self,
        order: int = 7,
        discount_scale: float = 1.15,
        prior_weight: float = 20.0,
        beam: float = 1e-3,
    ) -> None:
        super().__init__(greedy=True)
        self.order = order
        self.discount_scale = discount_scale
        self.prior_weight = prior_weight
        self.beam = beam

    def fit(self, words: Sequence[str]) -> Self:
        """Count the n-grams of the words and index the words."""
        self.model_ = SmoothedNgrams(words, self.order, self.discount_scale)
        self.lookahead_ = _pair_table(SmoothedNgrams(words, 3))
        self.fitting_ = DictionaryAgent().fit(words)
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return :meth:`letter_probabilities`."""
        return self.letter_probabilities(observations)

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
        # Games look alike in their first turns, so each observation is computed once.
        looks = np.concatenate([observations["word"], observations["guessed"].view(np.uint8)], 1)
        _, first, inverse = np.unique(looks, axis=0, return_index=True, return_inverse=True)
        part = select(observations, first)
        probabilities = self.model_probabilities(part)
        if np.isfinite(self.prior_weight):
            counts, num_fitting = self.fitting_.index_.count(part)
            weight = self.prior_weight
            probabilities = (counts + weight * probabilities) / (num_fitting[:, None] + weight)
        probabilities[part["guessed"] != 0] = 0.0
        return probabilities[inverse.ravel()]

    def model_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the n-gram model's probabilities alone, shape (N, 26)."""
        model = self.model_
        return _presence(
            observations["word"],
            observations["guessed"],
            model.probabilities,
            model.next_state,
            model.start,
            self.lookahead_,
            self.beam,
        )


def _pair_table(model: SmoothedNgrams) -> npt.NDArray[np.float32]:
    """Return the order-3 probabilities by the two letters before, shape (27, 27, 27).

    Index 26 on the first two axes is the beginning of the word (and what is before it).
    """
    table = np.empty((NUM_SYMBOLS, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    for first in range(NUM_SYMBOLS):
        before = model.start if first == NUM_LETTERS else model.next_state[0, first]
        for second in range(NUM_SYMBOLS):
            state = model.start if second == NUM_LETTERS else model.next_state[before, second]
            table[first, second] = model.probabilities[state]
    return table


@njit(cache=True, fastmath=True)
def _presence(word, guessed, probabilities, next_state, start, pairs, beam):  # noqa: ANN001, ANN202
    num_games, width = word.shape
    presence = np.zeros((num_games, NUM_LETTERS), dtype=np.float64)
    num_states = len(next_state)
    slot = np.full(num_states, -1, dtype=np.int32)
    capacity = 1024
    # For each kept context: its state, its last two letters, and the mass of the beginnings that
    # end in it: without each letter behind a blank so far, and of all at index 26.
    states = np.empty(capacity, dtype=np.int32)
    lasts = np.empty((capacity, 2), dtype=np.int8)
    mass = np.empty((capacity, NUM_SYMBOLS), dtype=np.float32)
    new_states = np.empty(capacity, dtype=np.int32)
    new_lasts = np.empty((capacity, 2), dtype=np.int8)
    total = np.empty(capacity, dtype=np.float64)
    choices = np.empty((width, NUM_LETTERS), dtype=np.int8)
    num_choices = np.empty(width, dtype=np.int64)
    follows = np.empty((width + 1, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    left = np.empty(NUM_LETTERS, dtype=np.int8)
    for game in range(num_games):
        num_left = 0
        for letter in range(NUM_LETTERS):
            if not guessed[game, letter]:
                left[num_left] = letter
                num_left += 1
        if num_left == 0:
            continue
        length = 0
        while length < width and word[game, length] != PADDING:
            code = word[game, length]
            if code == BLANK:
                num_choices[length] = num_left
                choices[length, :num_left] = left[:num_left]
            else:
                num_choices[length] = 1
                choices[length, 0] = code - FIRST_LETTER
            length += 1
        _look_ahead(length, choices, num_choices, pairs, follows)

        num_kept = 1
        states[0] = start
        lasts[0] = NUM_LETTERS
        mass[0] = 1.0
        for place in range(length):
            is_blank = word[game, place] == BLANK
            # Which contexts come next, and with what mass.
            num_new = 0
            most = num_kept * num_choices[place]
            if most > len(new_states):
                new_states = np.empty(2 * most, dtype=np.int32)
                new_lasts = np.empty((2 * most, 2), dtype=np.int8)
                total = np.empty(2 * most, dtype=np.float64)
            for kept in range(num_kept):
                state = states[kept]
                for choice in range(num_choices[place]):
                    letter = choices[place, choice]
                    after = next_state[state, letter]
                    if slot[after] < 0:
                        slot[after] = num_new
                        new_states[num_new] = after
                        new_lasts[num_new, 0] = lasts[kept, 1]
                        new_lasts[num_new, 1] = letter
                        total[num_new] = 0.0
                        num_new += 1
                    total[slot[after]] += mass[kept, NUM_LETTERS] * probabilities[state, letter]
            whole = 0.0
            for new in range(num_new):
                total[new] *= follows[place + 1, new_lasts[new, 0], new_lasts[new, 1]]
                whole += total[new]
            threshold = beam * whole
            scale = 1.0 / whole
            num_survivors = 0
            for new in range(num_new):
                if total[new] >= threshold:
                    slot[new_states[new]] = num_survivors
                    num_survivors += 1
                else:
                    slot[new_states[new]] = -1
            new_mass = np.zeros((num_survivors, NUM_SYMBOLS), dtype=np.float32)
            for kept in range(num_kept):
                state = states[kept]
                for choice in range(num_choices[place]):
                    letter = choices[place, choice]
                    new = slot[next_state[state, letter]]
                    if new < 0:
                        continue
                    factor = np.float32(probabilities[state, letter])
                    without = new_mass[new, letter]
                    for symbol in range(NUM_SYMBOLS):
                        new_mass[new, symbol] += factor * mass[kept, symbol]
                    if is_blank:
                        new_mass[new, letter] = without
            num_kept = 0
            if num_survivors > len(states):
                states = np.empty(2 * num_survivors, dtype=np.int32)
                lasts = np.empty((2 * num_survivors, 2), dtype=np.int8)
            for new in range(num_new):
                if slot[new_states[new]] >= 0:
                    states[num_kept] = new_states[new]
                    lasts[num_kept] = new_lasts[new]
                    slot[new_states[new]] = -1
                    num_kept += 1
            # Keep the masses away from the smallest numbers of their type.
            largest = np.float32(0.0)
            for kept in range(num_kept):
                largest = max(largest, new_mass[kept, NUM_LETTERS])
            if scale > 0 and largest > 0:
                for kept in range(num_kept):
                    for symbol in range(NUM_SYMBOLS):
                        new_mass[kept, symbol] /= largest
            mass = new_mass
        sums = np.zeros(NUM_SYMBOLS, dtype=np.float64)
        for kept in range(num_kept):
            ending = np.float64(probabilities[states[kept], END])
            for symbol in range(NUM_SYMBOLS):
                sums[symbol] += ending * mass[kept, symbol]
        for choice in range(num_left):
            letter = left[choice]
            presence[game, letter] = 1.0 - sums[letter] / sums[NUM_LETTERS]
    return presence


@njit(cache=True, fastmath=True)
def _look_ahead(length, choices, num_choices, pairs, follows):  # noqa: ANN001, ANN202
    """Write the mass of all that can follow each two letters at each place, by n-grams of order 3.

    ``follows[place, a, b]`` is for the letters ``a`` and ``b`` before the place, 26 where there is
    none. Each place is scaled to a highest mass of 1.
    """
    beginning = np.full(1, NUM_LETTERS, dtype=np.int8)
    for place in range(length, 0, -1):
        lasts = choices[place - 1, : num_choices[place - 1]]
        befores = choices[place - 2, : num_choices[place - 2]] if place > 1 else beginning
        largest = np.float32(0.0)
        for before in befores:
            for last in lasts:
                if place == length:
                    value = pairs[before, last, END]
                else:
                    value = np.float32(0.0)
                    for choice in range(num_choices[place]):
                        letter = choices[place, choice]
                        value += pairs[before, last, letter] * follows[place + 1, last, letter]
                follows[place, before, last] = value
                largest = max(largest, value)
        for before in befores:
            for last in lasts:
                follows[place, before, last] /= largest
