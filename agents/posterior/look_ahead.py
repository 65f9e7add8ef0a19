"""Looking ahead: the probability of winning with each of the likeliest letters and greedy play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_sets import fitting_words, word_length
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS

# So many of the likeliest listed words are played out.
MOST_WORDS = 300
# The log-odds of winning with a secret that is none of them, by the lives left, the expected number
# of hidden letters and the sum of their variances: fitted to the games of words that were held
# back (benchmarks/ppo_gain.py shows how well they predict).
_INTERCEPT, _PER_LIFE, _PER_LETTER, _PER_VARIANCE = -0.15, 0.66, 1.05, -2.33
# Of the words that are not played out and have the letter that is guessed, this share has it at
# places where no word that is played out has it.
_ELSEWHERE = 0.3
# Words that hold a smaller share of a branch of the game than this decide nothing in it.
_LEAST_SHARE = 0.05


class Hypotheses(NamedTuple):
    """What can be behind the blanks of one game.

    Attributes
    ----------
    places : ndarray of uint32, shape (words, 26)
        Where each word that is played out has each letter, as bits over the blanks.
    letters : ndarray of int64, shape (words,)
        The letters behind blanks, as bits.
    shares : ndarray of float64, shape (words,)
        The probability of each; together at most 1.
    others : ndarray of float64, shape (26,)
        For the words that are not played out, the probability of each letter behind a blank.
    num_blanks : int
    """

    places: npt.NDArray[np.uint32]
    letters: npt.NDArray[np.int64]
    shares: npt.NDArray[np.float64]
    others: npt.NDArray[np.float64]
    num_blanks: int


@njit(cache=True, nogil=True)
def win_probabilities(
    thread, num_threads, word, guessed, lives, present, share, letters, codes, listed, result
):
    """Play on after each of some letters.

    The likeliest listed words of each game are played out. All other words that are possible go
    along as a mass with letters that are taken for independent; where no word that is played out
    goes with them, they win as often as such words do. After the letter, whichever letter is
    likeliest is guessed, until the game is over.

    Parameters
    ----------
    thread, num_threads : int
        Of :func:`agents.threads.in_threads`.
    word, guessed, lives
        Of N games, as they are observed.
    present : ndarray of float64, shape (N, 26)
        The probability of each letter behind a blank.
    share : ndarray of float64, shape (N,)
        The probability that the secret is a listed word.
    letters : ndarray of int64, shape (N, K)
        The letters to value, likeliest first; -1 for none.
    codes : ndarray of uint8, shape (words, 32)
        Of the listed words.
    listed : ListedWords
    result : ndarray of float64, shape (N, K)
        The probability of winning is written to it.
    """
    chunks = max(1, listed.words.chunks.max())
    found = np.empty(chunks, dtype=np.uint64)
    where = np.empty(chunks, dtype=np.int64)
    numbers = np.empty(chunks * 64, dtype=np.int64)
    for game in range(thread, len(word), num_threads):
        length = word_length(word[game])
        count = fitting_words(
            word[game], guessed[game], length, listed.words, found, where, numbers
        )
        words = numbers[:count]
        words = words[listed.own[words] > 0.0]
        total = listed.own[words].sum()
        if len(words) > MOST_WORDS:
            words = words[np.argsort(-listed.own[words], kind="mergesort")[:MOST_WORDS]]
        hypotheses = _hypotheses(
            word[game, :length],
            present[game],
            codes[words],
            listed.own[words] * (share[game] / max(total, 1e-300)),
        )
        values = others_won(hypotheses.others, lives[game])
        for number in range(letters.shape[1]):
            if letters[game, number] >= 0:
                result[game, number] = _probability_won(hypotheses, values, letters[game, number])


@njit(cache=True)
def others_won(others, lives):
    """Return how often words win that are not played out, by the lives left, 0 to ``lives``."""
    log_odds = (
        _INTERCEPT + _PER_LETTER * others.sum() + _PER_VARIANCE * (others * (1.0 - others)).sum()
    )
    values = 1.0 / (1.0 + np.exp(-log_odds - _PER_LIFE * np.arange(lives + 1)))
    values[0] = 0.0
    return values


@njit(cache=True)
def _hypotheses(word, present, codes, shares):
    """Return what can be behind the blanks of a game: some words, and all others."""
    num_words = len(codes)
    places = np.zeros((num_words, NUM_LETTERS), dtype=np.uint32)
    letters = np.zeros(num_words, dtype=np.int64)
    others = present.copy()
    num_blanks = 0
    for place in range(len(word)):
        if word[place] == BLANK:
            for number in range(num_words):
                letter = codes[number, place] - FIRST_LETTER
                places[number, letter] |= np.uint32(1) << np.uint32(num_blanks)
            num_blanks += 1
    for letter in range(NUM_LETTERS):
        for number in range(num_words):
            if places[number, letter]:
                letters[number] |= 1 << letter
                others[letter] -= shares[number]
    left = max(1.0 - shares.sum(), 1e-9)
    for letter in range(NUM_LETTERS):
        others[letter] = min(max(others[letter] / left, 0.0), 1.0)
    return Hypotheses(places, letters, shares, others, num_blanks)


@njit(cache=True)
def _probability_won(hypotheses, values, first_letter):
    """Return the probability of winning with ``first_letter`` and then greedily.

    Words that look alike are played together: a group of them is a range of ``order``. A guess
    splits it by the blanks that the letter fills, and each part waits on a stack.
    ``values`` has how often words win that are not played out, by the lives left.
    """
    places, letters, shares, others, num_blanks = hypotheses
    num_words = len(shares)
    order = np.arange(num_words)
    filled = np.empty(num_words, dtype=np.uint32)
    presence = np.empty(NUM_LETTERS, dtype=np.float64)
    # A word waits in one group at most, so that there are never more groups than words.
    begin = np.empty(num_words + 1, dtype=np.int64)
    end = np.empty(num_words + 1, dtype=np.int64)
    lives = np.empty(num_words + 1, dtype=np.int64)
    guessed = np.empty(num_words + 1, dtype=np.int64)
    blanks = np.empty(num_words + 1, dtype=np.int64)
    unplayed = np.empty(num_words + 1, dtype=np.float64)
    begin[0], end[0], lives[0], guessed[0] = 0, num_words, len(values) - 1, 0
    blanks[0], unplayed[0] = num_blanks, max(1.0 - shares.sum(), 0.0)
    waiting = 1
    won = 0.0
    while waiting > 0:
        waiting -= 1
        low, high, left, known = begin[waiting], end[waiting], lives[waiting], guessed[waiting]
        rest, scale = unplayed[waiting], blanks[waiting] / num_blanks
        letter = first_letter
        if known:
            mass = 0.0
            presence[:] = 0.0
            for number in order[low:high]:
                mass += shares[number]
                bits = letters[number] & ~known
                while bits:
                    lowest = bits & -bits
                    presence[_bit_number(lowest)] += shares[number]
                    bits ^= lowest
            if presence.max() == 0.0:
                # All blanks are filled: the word cannot be another one.
                won += mass + rest
                continue
            if mass < _LEAST_SHARE * rest:
                won += (mass + rest) * values[left]
                continue
            if high - low == 1 and rest < _LEAST_SHARE * mass:
                won += mass + rest * values[left]
                continue
            for other in range(NUM_LETTERS):
                if not (known >> other) & 1:
                    presence[other] += rest * scale * others[other]
            letter = presence.argmax()
        hit = scale * others[letter] * rest
        missed = rest - hit
        with_letter = 0.0
        for place in range(low, high):
            filled[place] = places[order[place], letter]
            if filled[place]:
                with_letter += shares[order[place]]
        elsewhere = _ELSEWHERE * hit if with_letter > 0.0 else hit
        won += elsewhere * values[left]
        while low < high:
            # Bring the words that look like the first one together.
            look, stop, mass = filled[low], low, 0.0
            for place in range(low, high):
                if filled[place] == look:
                    mass += shares[order[place]]
                    filled[place], filled[stop] = filled[stop], look
                    order[place], order[stop] = order[stop], order[place]
                    stop += 1
            begin[waiting], end[waiting] = low, stop
            guessed[waiting] = known | (1 << letter)
            low = stop
            if look:
                lives[waiting] = left
                unplayed[waiting] = (hit - elsewhere) * mass / with_letter
                blanks[waiting] = scale * num_blanks
                while look:
                    look &= look - np.uint32(1)
                    blanks[waiting] -= 1
                waiting += 1
            elif left > 1:
                lives[waiting] = left - 1
                unplayed[waiting] = missed
                blanks[waiting] = scale * num_blanks
                missed = 0.0
                waiting += 1
            else:
                missed = 0.0
        won += missed * values[left - 1]
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
