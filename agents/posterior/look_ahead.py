"""Look-ahead by rollouts: the probability of winning with each likely letter, then greedy play.

A rollout continues a game by a base policy, here greedy play on the posterior, as in G. Tesauro
and G. Galperin, "On-line policy improvement using Monte-Carlo search", NeurIPS 1996. Instead of
sampled games, all likely listed words are simulated at once. The rest of the words is
a probability mass with independent letters, whose wins are estimated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.minimax import group_families
from hangman_lab.agents.posterior.prior import listed_priors
from hangman_lab.envs.bits import count_bits, lowest_bit, word_length
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import matching_rows

# At most this many of the likeliest listed words are simulated.
MAX_WORDS = 300
# The posterior prunes unlisted words; give them at least half of the candidates' mass.
_MIN_UNLISTED = 0.5
# Logistic regression of a win for secrets that are not simulated. Inputs: lives left, expected
# hidden letters, their variance. _UNFORESEEN replaces the last two terms for words outside the
# posterior. Chosen on games of valid words; benchmarks/ppo_gain.py shows what look-ahead gains.
_INTERCEPT, _PER_LIFE, _PER_LETTER, _PER_VARIANCE, _UNFORESEEN = -0.05, 0.95, 1.05, -2.75, -2.3
# Given a hit on an unsimulated word, the probability that it fills blanks no simulated word would
# fill.
_ELSEWHERE = 0.3
# Words with a smaller share of a branch are ignored in it.
_MIN_SHARE = 0.05


class Simulation(NamedTuple):
    """What can be behind the blanks of a game: the simulated words, and the rest of the words."""

    #: shape (words, 26): The places of each letter in each simulated word, as bits over the blanks.
    places: npt.NDArray[np.uint32]
    letters: npt.NDArray[np.uint64]  #: shape (words,): The letters behind blanks, as bits.
    shares: npt.NDArray[np.float64]  #: shape (words,): The probability of each word.
    #: shape (26,): The probability of each letter behind a blank, for the rest of the words.
    rest_present: npt.NDArray[np.float64]
    #: shape (lives + 1,): The probability of winning one of the rest of the words, by lives left.
    rest_wins: npt.NDArray[np.float64]
    num_blanks: int


class Branch(NamedTuple):
    """The games of a simulation that have the same masked word."""

    words: npt.NDArray[np.int64]  #: The simulated words; their order changes.
    rest: float  #: The probability of the rest of the words.
    lives: int
    num_blanks: int
    guessed: np.uint64  #: The letters since the look-ahead began, as bits.


@njit
def win_probabilities(thread, num_threads, states, present, prob_listed, letters, listed, result):
    """Write the probability of winning with each of ``letters``, followed by greedy play.

    ``states`` are the observed ``word``, ``guessed`` and ``lives`` of N games; ``present``, shape
    (N, 26), and ``prob_listed``, shape (N,), are their beliefs. ``letters``, shape (N, K), is -1
    for none, where ``result``, shape (N, K), is left as it is.
    """
    word, guessed, lives = states
    for game in range(thread, len(word), num_threads):
        masked = word[game, : word_length(word[game])]
        rows = matching_rows(masked, guessed[game], listed.words, True, True)
        masses = listed_priors(listed, rows)
        # Loops compile in a tenth of the time of array expressions.
        total, candidates, count = 1e-300, 0.0, 0
        for row, mass in zip(rows, masses):  # noqa: B905 - the compiler does not know ``strict``
            if mass > 0.0:
                total += mass
                candidates += 0.0 if listed.kinds[row] else mass
                rows[count], masses[count] = row, mass
                count += 1
        words, masses = rows[:count], masses[:count]
        share, modeled_fraction = simulated_share(prob_listed[game], candidates / total)
        if len(words) > MAX_WORDS:
            likeliest = np.argsort(-masses, kind="mergesort")[:MAX_WORDS]
            words, masses = words[likeliest], masses[likeliest]
        shares = masses * (share / total)
        likely = listed.words.codes[words], shares
        simulated = _simulation(masked, *likely, present[game], modeled_fraction, lives[game])
        rest = max(1.0 - shares.sum(), 0.0)
        for choice in range(letters.shape[1]):
            letter, order = letters[game, choice], np.arange(len(words))
            if letter >= 0:
                root = Branch(order, rest, lives[game], simulated.num_blanks, np.uint64(0))
                result[game, choice] = _play_on(letter, root, simulated, 0.0)


@njit
def simulated_share(prob_listed, candidates):
    """Return the probability of a listed secret, and the modeled fraction of the unlisted mass.

    ``candidates`` is the share of candidates in the matching listed words.
    """
    share = min(prob_listed, 1.0 / (1.0 + _MIN_UNLISTED * candidates))
    return share, (1.0 - prob_listed) / (1.0 - share) if share < 1.0 else 1.0


@njit
def rest_win_rates(present, modeled_fraction, lives):
    """Return the win rates for words that are not simulated, by lives left, 0 to ``lives``."""
    log_odds = _PER_LETTER * present.sum() + _PER_VARIANCE * (present * (1.0 - present)).sum()
    log_odds = _INTERCEPT + modeled_fraction * log_odds + (1.0 - modeled_fraction) * _UNFORESEEN
    values = 1.0 / (1.0 + np.exp(-log_odds - _PER_LIFE * np.arange(lives + 1)))
    values[0] = 0.0
    return values


@njit
def _simulation(word, codes, shares, present, modeled_fraction, lives):
    """Return the :class:`Simulation` of a game with words, their codes and probabilities."""
    num_words = len(codes)
    places = np.zeros((num_words, NUM_LETTERS), dtype=np.uint32)
    letters = np.zeros(num_words, dtype=np.uint64)
    rest_present = present.copy()
    blanks = np.flatnonzero(word == BLANK)
    for row in range(num_words):
        for blank in range(len(blanks)):
            letter = codes[row, blanks[blank]] - FIRST_LETTER
            places[row, letter] |= np.uint32(1) << np.uint32(blank)
        for letter in range(NUM_LETTERS):
            if places[row, letter]:
                letters[row] |= np.uint64(1) << np.uint64(letter)
                rest_present[letter] -= shares[row]
    rest = max(1.0 - shares.sum(), 1e-9)
    for letter in range(NUM_LETTERS):
        rest_present[letter] = min(max(rest_present[letter] / rest, 0.0), 1.0)
    rest_wins = rest_win_rates(rest_present, modeled_fraction, lives)
    return Simulation(places, letters, shares, rest_present, rest_wins, len(blanks))


@njit
def _play_on(letter, branch, game, won):
    """Return ``won`` plus the probability of winning a branch with a letter, then greedy play."""
    words, rest, lives = branch.words, branch.rest, branch.lives
    guessed = branch.guessed | np.uint64(1) << np.uint64(letter)
    hit = branch.num_blanks / game.num_blanks * game.rest_present[letter] * rest
    filled = game.places[words, letter]
    with_letter, num_misses = 0.0, 0
    for place in range(len(words)):
        if filled[place]:
            with_letter += game.shares[words[place]]
        else:
            num_misses += 1
    elsewhere = _ELSEWHERE * hit if with_letter > 0.0 else hit
    ends = group_families(words, filled)
    # The parts of the rest, after a hit and after a miss, that no branch continues.
    won += elsewhere * game.rest_wins[lives]
    if num_misses == 0:
        won += (rest - hit) * game.rest_wins[lives - 1]
    presence = np.empty(NUM_LETTERS)
    for family in range(len(ends) - 2, -1, -1):
        part, places = words[ends[family] : ends[family + 1]], filled[ends[family]]
        share = 0.0
        for word in part:
            share += game.shares[word]
        left, part_rest = lives - (places == 0), rest - hit
        if places:
            part_rest = (hit - elsewhere) * share / with_letter
        if left == 0:
            continue
        hidden = branch.num_blanks - count_bits(np.uint64(places))
        following = Branch(part, part_rest, left, hidden, guessed)
        settled = _settle(following, game, share, presence)
        if settled >= 0.0:
            won += settled
            continue
        scale = hidden / game.num_blanks
        for other in range(NUM_LETTERS):
            if not (guessed >> np.uint64(other)) & np.uint64(1):
                presence[other] += part_rest * scale * game.rest_present[other]
        won = _play_on(presence.argmax(), following, game, won)
    return won


@njit
def _settle(branch, game, share, presence):
    """Return a branch's probability of winning if its guesses do not matter, else -1.

    ``share`` is the probability of the simulated words; ``presence`` becomes that of those which
    contain each unguessed letter.
    """
    presence[:] = 0.0
    for word in branch.words:
        left = game.letters[word] & ~branch.guessed
        while left:
            presence[lowest_bit(left)] += game.shares[word]
            left &= left - np.uint64(1)
    rest, value = branch.rest, game.rest_wins[branch.lives]
    if presence.max() == 0.0:
        # All blanks are filled.
        return share + rest
    if share < _MIN_SHARE * rest:
        return (share + rest) * value
    if len(branch.words) == 1 and rest < _MIN_SHARE * share:
        return share + rest * value
    return -1.0
