"""Looking ahead: how often each of the likeliest letters wins if greedy guesses follow."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from agents.posterior.lattice import likeliest_words
from envs.encoding import BLANK, NUM_LETTERS


@njit(cache=True, parallel=True)
def win_probabilities(  # noqa: ANN201
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    lives,  # noqa: ANN001
    letters,  # noqa: ANN001
    tilt,  # noqa: ANN001
    probabilities,  # noqa: ANN001
    next_state,  # noqa: ANN001
    start,  # noqa: ANN001
    pairs,  # noqa: ANN001
    listed,  # noqa: ANN001
    num_words,  # noqa: ANN001
):
    """Play on after each of some letters, on each of the likeliest words.

    The ``num_words`` likeliest words of each game stand for all that are possible, with their
    shares as probabilities. After the letter, whichever letter is in most of the words that still
    fit is guessed, until the game is over.

    Parameters
    ----------
    word, guessed, lives
        Of N games, as they are observed.
    letters : ndarray of int64, shape (N, K)
        The letters to value, likeliest first; -1 for none.
    tilt : ndarray of float64, shape (N, 26)
        Each word's log-probability is raised by the tilt of each letter that it hides; this brings
        in what another model knows of the letters.
    probabilities, next_state, start
        Of :class:`agents.smoothed_ngrams.SmoothedNgrams`.
    pairs
        Of :func:`agents.posterior.lattice.pair_table`.
    listed : ListedWords
        With masses of their own.
    num_words : int

    Returns
    -------
    ndarray of float64, shape (N, K)
        The probability of winning; 0 where there is no letter.
    """
    num_games = len(word)
    result = np.zeros(letters.shape, dtype=np.float64)
    for game in prange(num_games):
        hidden, shares = likeliest_words(
            word[game], guessed[game], probabilities, next_state, start, pairs, listed, num_words
        )
        num_blanks = 0
        for code in word[game]:
            num_blanks += code == BLANK
        # The letters of each word as bits.
        sets = np.zeros(len(shares), dtype=np.int64)
        for number in range(len(shares)):
            for blank in range(num_blanks):
                sets[number] |= 1 << hidden[number, blank]
            raised = 0.0
            for letter in range(NUM_LETTERS):
                if (sets[number] >> letter) & 1:
                    raised += tilt[game, letter]
            shares[number] *= np.exp(raised)
        shares /= shares.sum()
        for number in range(letters.shape[1]):
            if letters[game, number] >= 0:
                result[game, number] = _share_won(
                    hidden, sets, shares, num_blanks, lives[game], letters[game, number]
                )
    return result


@njit(cache=True)
def _share_won(hidden, sets, shares, num_blanks, lives, first_letter):  # noqa: ANN001, ANN202
    """Return the share of the words that are won with ``first_letter`` and then greedily.

    Words that look alike are played together: a group of them is a range of ``order``. A guess
    splits it by the blanks that the letter fills, and each part waits on a stack.
    """
    num_words = len(shares)
    order = np.arange(num_words)
    places = np.empty(num_words, dtype=np.int64)
    presence = np.empty(NUM_LETTERS, dtype=np.float64)
    # A word waits in one group at most, so that there are never more groups than words.
    begin = np.empty(num_words + 1, dtype=np.int64)
    end = np.empty(num_words + 1, dtype=np.int64)
    lives_left = np.empty(num_words + 1, dtype=np.int64)
    guessed = np.empty(num_words + 1, dtype=np.int64)
    begin[0], end[0], lives_left[0], guessed[0] = 0, num_words, lives, 0
    waiting = 1
    letter = first_letter
    won = 0.0
    while waiting > 0:
        waiting -= 1
        low, high, left, known = begin[waiting], end[waiting], lives_left[waiting], guessed[waiting]
        if known:
            if high - low == 1:
                won += shares[order[low]]
                continue
            presence[:] = 0.0
            for number in range(low, high):
                bits = sets[order[number]] & ~known
                while bits:
                    lowest = bits & -bits
                    presence[_bit_number(lowest)] += shares[order[number]]
                    bits ^= lowest
            letter = presence.argmax()
            if presence[letter] == 0.0:
                # All blanks are filled.
                for number in range(low, high):
                    won += shares[order[number]]
                continue
        for number in range(low, high):
            filled = 0
            if (sets[order[number]] >> letter) & 1:
                for blank in range(num_blanks):
                    if hidden[order[number], blank] == letter:
                        filled |= 1 << blank
            places[number] = filled
        while low < high:
            # Bring the words that look like the first one together.
            filled = places[low]
            stop = low
            for number in range(low, high):
                if places[number] == filled:
                    places[number], places[stop] = places[stop], filled
                    order[number], order[stop] = order[stop], order[number]
                    stop += 1
            if filled or left > 1:
                begin[waiting], end[waiting] = low, stop
                lives_left[waiting] = left if filled else left - 1
                guessed[waiting] = known | (1 << letter)
                waiting += 1
            low = stop
    return won


@njit(cache=True)
def _bit_number(bit):  # noqa: ANN001, ANN202
    """Return the number of the only bit that is set."""
    number = 0
    for step in (16, 8, 4, 2, 1):
        if bit >> step:
            bit >>= step
            number += step
    return number
