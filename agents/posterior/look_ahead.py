"""Looking ahead: how often each of the likeliest letters wins if greedy guesses follow."""

from __future__ import annotations

import numpy as np
from numba import njit

from agents.posterior.listed_words import heaviest_words
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING


@njit(cache=True, nogil=True)
def win_probabilities(
    thread, num_threads, word, guessed, lives, letters, codes, listed, num_words, result
):
    """Play on after each of some letters, on each of the likeliest listed words.

    The ``num_words`` likeliest listed words of each game stand for all that are possible, with
    their shares as probabilities. After the letter, whichever letter is in most of the words that
    still fit is guessed, until the game is over.

    Parameters
    ----------
    thread, num_threads : int
        Of :func:`agents.threads.in_threads`.
    word, guessed, lives
        Of N games, as they are observed.
    letters : ndarray of int64, shape (N, K)
        The letters to value, likeliest first; -1 for none.
    codes : ndarray of uint8, shape (words, 32)
        Of the listed words.
    listed : ListedWords
    num_words : int
    result : ndarray of float64, shape (N, K)
        The probability of winning is written to it; 0 where no listed word fits.
    """
    num_games = len(word)
    chunks = max(1, listed.words.chunks.max())
    found = np.empty(chunks, dtype=np.uint64)
    where = np.empty(chunks, dtype=np.int64)
    numbers = np.empty(chunks * 64, dtype=np.int64)
    for game in range(thread, num_games, num_threads):
        length = 0
        while length < len(word[game]) and word[game, length] != PADDING:
            length += 1
        heaviest = heaviest_words(
            word[game], guessed[game], length, listed, num_words, found, where, numbers
        )
        if not len(heaviest):
            continue
        bits = 0
        for letter in range(NUM_LETTERS):
            if guessed[game, letter]:
                bits |= 1 << letter
        hidden = np.zeros((len(heaviest), length), dtype=np.int8)
        sets = np.empty(len(heaviest), dtype=np.int64)
        num_blanks = 0
        for place in range(length):
            if word[game, place] == BLANK:
                for number in range(len(heaviest)):
                    hidden[number, num_blanks] = codes[heaviest[number], place] - FIRST_LETTER
                num_blanks += 1
        for number in range(len(heaviest)):
            # No guessed letter is behind a blank.
            sets[number] = np.int64(listed.words.letters[heaviest[number]]) & ~bits
        shares = listed.own[heaviest]
        shares /= shares.sum()
        for number in range(letters.shape[1]):
            if letters[game, number] >= 0:
                result[game, number] = _share_won(
                    hidden, sets, shares, num_blanks, lives[game], letters[game, number]
                )


@njit(cache=True)
def _share_won(hidden, sets, shares, num_blanks, lives, first_letter):
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
def _bit_number(bit):
    """Return the number of the only bit that is set."""
    number = 0
    for step in (16, 8, 4, 2, 1):
        if bit >> step:
            bit >>= step
            number += step
    return number
