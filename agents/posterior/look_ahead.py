"""Looking ahead: the probability of winning with each of the likeliest letters and greedy play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.compiled import count_bits, lowest_bit, word_length
from agents.word_sets import fitting_words, search_room
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS

# The likeliest listed words are played out, at most this many.
MOST_WORDS = 300
# What the posterior prunes is what is not listed. Such words have at least this share of the mass
# of the candidates that fit.
_LEAST_OTHERS = 0.5
# The log-odds of winning with a secret that is not played out, by the lives left, the expected
# number of hidden letters and the sum of their variances. Where the posterior foresees no such
# word, the last one is in place of these two. Chosen by the games of valid words;
# benchmarks/ppo_gain.py shows how well they predict.
_INTERCEPT, _PER_LIFE, _PER_LETTER, _PER_VARIANCE, _UNFORESEEN = -0.05, 0.95, 1.05, -2.75, -2.3
# Of the words that are not played out and have the letter that is guessed, this share has it at
# places where no word that is played out has it.
_ELSEWHERE = 0.3
# Words with a smaller share of a branch of the game than this decide nothing in it.
_LEAST_SHARE = 0.05


class Hypotheses(NamedTuple):
    """What can be behind the blanks of one game."""

    #: shape (words, 26): Where each word that is played out has each letter, as bits over the
    #: blanks.
    places: npt.NDArray[np.uint32]
    letters: npt.NDArray[np.uint64]  #: shape (words,): The letters behind blanks, as bits.
    shares: npt.NDArray[np.float64]  #: shape (words,): The probability of each; together at most 1.
    #: shape (26,): For the words that are not played out, the probability of each letter behind a
    #: blank.
    others: npt.NDArray[np.float64]
    num_blanks: int


# A group of words that look alike: its range in the order of the words, the lives and blanks left,
# the letters guessed since the look-ahead began, as bits, and the probability of the words that are
# not played out and look like the group.
_BRANCH = np.dtype(
    [(name, "i8") for name in ("begin", "end", "lives", "blanks")]
    + [("guessed", "u8"), ("unplayed", "f8")]
)


@njit(cache=True, nogil=True)
def win_probabilities(thread, num_threads, games, present, listed_share, letters, listed, result):
    """Write the probability of winning with each of some letters and greedy play after it.

    The likeliest listed words of each game are played out. All other words that are possible are a
    mass with independent letters, which is divided as these words are; where none of them is left
    in a branch, the mass wins as often as such words do.

    Parameters
    ----------
    thread, num_threads
        Of :func:`agents.compiled.in_threads`.
    games : tuple of ndarray
        ``word``, ``guessed`` and ``lives`` of N games, as they are observed.
    present : ndarray of float64, shape (N, 26)
        The probability of each letter behind a blank.
    listed_share : ndarray of float64, shape (N,)
        The probability that the secret is a listed word.
    letters : ndarray of int64, shape (N, K)
        The letters to value, likeliest first; -1 for none.
    listed : ListedTables
    result : ndarray of float64, shape (N, K)
        The probability of winning is written to it.
    """
    word, guessed, lives = games
    room = search_room(listed.words)
    for game in range(thread, len(word), num_threads):
        masked = word[game, : word_length(word[game])]
        words = fitting_words(masked, guessed[game], listed.words, True, True, room)
        words = words[listed.own[words] > 0.0]
        total = max(listed.own[words].sum(), 1e-300)
        candidates = listed.own[words[~listed.is_known[words]]].sum() / total
        share, foreseen = share_played(listed_share[game], candidates)
        if len(words) > MOST_WORDS:
            words = words[np.argsort(-listed.own[words], kind="mergesort")[:MOST_WORDS]]
        shares = listed.own[words] * (share / total)
        hypotheses = _hypotheses(masked, present[game], listed.words.codes[words], shares)
        values = others_won(hypotheses.others, foreseen, lives[game])
        for choice in range(letters.shape[1]):
            if letters[game, choice] >= 0:
                result[game, choice] = _probability_won(hypotheses, values, letters[game, choice])


@njit(cache=True)
def share_played(listed_share, candidates):
    """Return the share of listed words, and how much of the rest the posterior foresees.

    ``candidates`` is the share of candidates in the listed words that fit.
    """
    share = min(listed_share, 1.0 / (1.0 + _LEAST_OTHERS * candidates))
    return share, (1.0 - listed_share) / (1.0 - share) if share < 1.0 else 1.0


@njit(cache=True)
def others_won(others, foreseen, lives):
    """Return how often words that are not played out win, by the lives left, 0 to ``lives``."""
    log_odds = _PER_LETTER * others.sum() + _PER_VARIANCE * (others * (1.0 - others)).sum()
    log_odds = _INTERCEPT + foreseen * log_odds + (1.0 - foreseen) * _UNFORESEEN
    values = 1.0 / (1.0 + np.exp(-log_odds - _PER_LIFE * np.arange(lives + 1)))
    values[0] = 0.0
    return values


@njit(cache=True)
def _hypotheses(word, present, codes, shares):
    """Return what can be behind the blanks of a game: some words, and the rest."""
    num_words = len(codes)
    places = np.zeros((num_words, NUM_LETTERS), dtype=np.uint32)
    letters = np.zeros(num_words, dtype=np.uint64)
    others = present.copy()
    blanks = np.flatnonzero(word == BLANK)
    for row in range(num_words):
        for blank in range(len(blanks)):
            letter = codes[row, blanks[blank]] - FIRST_LETTER
            places[row, letter] |= np.uint32(1) << np.uint32(blank)
        for letter in range(NUM_LETTERS):
            if places[row, letter]:
                letters[row] |= np.uint64(1) << np.uint64(letter)
                others[letter] -= shares[row]
    left = max(1.0 - shares.sum(), 1e-9)
    for letter in range(NUM_LETTERS):
        others[letter] = min(max(others[letter] / left, 0.0), 1.0)
    return Hypotheses(places, letters, shares, others, len(blanks))


@njit(cache=True)
def _probability_won(hypotheses, values, first_letter):
    """Return the probability of winning with ``first_letter`` and then greedily."""
    places, letters, shares, others, num_blanks = hypotheses
    num_words = len(shares)
    # Words that look alike are played together: a group of them is a range of ``order``. A guess
    # splits it by the blanks that the letter fills, and each part waits on a stack.
    order = np.arange(num_words)
    filled = np.empty(num_words, dtype=np.uint32)
    presence = np.empty(NUM_LETTERS, dtype=np.float64)
    # A word waits in one group at most, so that there are never more groups than words.
    stack = np.empty(num_words + 1, dtype=_BRANCH)
    whole = stack[0]
    whole.begin, whole.end = 0, num_words
    whole.lives, whole.blanks = len(values) - 1, num_blanks
    whole.guessed, whole.unplayed = 0, max(1.0 - shares.sum(), 0.0)
    waiting = 1
    won = 0.0
    while waiting > 0:
        waiting -= 1
        branch, letter = stack[waiting], first_letter
        lives, scale, rest = branch.lives, branch.blanks / num_blanks, branch.unplayed
        if branch.guessed:
            words = order[branch.begin : branch.end]
            settled = _settle(words, letters, shares, branch.guessed, rest, values[lives], presence)
            if settled >= 0.0:
                won += settled
                continue
            for other in range(NUM_LETTERS):
                if not (branch.guessed >> np.uint64(other)) & np.uint64(1):
                    presence[other] += rest * scale * others[other]
            letter = presence.argmax()
        hit = scale * others[letter] * rest
        waiting, elsewhere, missed = _split(
            stack, waiting, letter, hit, places, shares, order, filled
        )
        won += elsewhere * values[lives]
        won += missed * values[lives - 1]
    return won


@njit(cache=True)
def _settle(words, letters, shares, guessed, rest, value, presence):
    """Return what a branch wins if no guess matters to it, else -1; write the letters' presence."""
    mass = 0.0
    presence[:] = 0.0
    for word in words:
        mass += shares[word]
        left = letters[word] & ~guessed
        while left:
            presence[lowest_bit(left)] += shares[word]
            left &= left - np.uint64(1)
    if presence.max() == 0.0:
        # All blanks are filled: the word cannot be another one.
        return mass + rest
    if mass < _LEAST_SHARE * rest:
        return (mass + rest) * value
    if len(words) == 1 and rest < _LEAST_SHARE * mass:
        return mass + rest * value
    return -1.0


@njit(cache=True)
def _split(stack, waiting, letter, hit, places, shares, order, filled):
    """Put the branches after a letter in place of ``stack[waiting]``; return the stack's new size.

    ``hit`` is the probability of the words that are not played out and have the letter. Of the
    words that go with no branch, those that have the letter and those that have not are returned.
    """
    branch = stack[waiting]
    low, high, lives, blanks = branch.begin, branch.end, branch.lives, branch.blanks
    guessed = branch.guessed | (np.uint64(1) << np.uint64(letter))
    missed = branch.unplayed - hit
    with_letter = 0.0
    for place in range(low, high):
        filled[place] = places[order[place], letter]
        if filled[place]:
            with_letter += shares[order[place]]
    elsewhere = _ELSEWHERE * hit if with_letter > 0.0 else hit
    while low < high:
        # Bring the words that look like the first one together.
        look, stop, mass = filled[low], low, 0.0
        for place in range(low, high):
            if filled[place] == look:
                mass += shares[order[place]]
                filled[place], filled[stop] = filled[stop], look
                order[place], order[stop] = order[stop], order[place]
                stop += 1
        branch = stack[waiting]
        branch.begin, branch.end, branch.guessed = low, stop, guessed
        low = stop
        branch.blanks = blanks - count_bits(np.uint64(look))
        if look:
            branch.lives, branch.unplayed = lives, (hit - elsewhere) * mass / with_letter
            waiting += 1
        elif lives > 1:
            branch.lives, branch.unplayed, missed = lives - 1, missed, 0.0
            waiting += 1
        else:
            missed = 0.0
    return waiting, elsewhere, missed
