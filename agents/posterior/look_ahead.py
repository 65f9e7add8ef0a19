"""Look-ahead by rollouts: the probability of winning with each likely letter, then greedy play.

A rollout continues a game by a base policy, here greedy play on the posterior, as in G. Tesauro
and G. Galperin, "On-line policy improvement using Monte-Carlo search", NeurIPS 1996. Instead of
sampled games, all likely listed words are simulated at once. The rest of the words is
a probability mass with independent letters, whose wins are estimated.
"""

from __future__ import annotations

import numpy as np

from hangman_lab.agents.posterior.prior import listed_priors
from hangman_lab.envs.bits import count_bits, lowest_bit, word_length
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import fitting_words

# At most this many of the likeliest listed words are simulated.
MAX_WORDS = 300
# The posterior prunes unlisted words; give them at least half of the candidates' mass.
_MIN_UNLISTED = 0.5
# Logistic regression of a win for secrets that are not simulated. Inputs: lives left, expected
# hidden letters, their variance. _UNFORESEEN replaces the last two terms for words outside the
# posterior. Chosen on games of valid words; benchmarks/ppo_gain.py shows how well they predict.
_INTERCEPT, _PER_LIFE, _PER_LETTER, _PER_VARIANCE, _UNFORESEEN = -0.05, 0.95, 1.05, -2.75, -2.3
# Given a hit on an unsimulated word, the probability that it fills blanks no simulated word would
# fill.
_ELSEWHERE = 0.3
# Words with a smaller share of a branch are ignored in it.
_MIN_SHARE = 0.05


# A group of simulated words with the same masked word: its range in the order of the words, the
# lives and blanks left, the letters guessed since the look-ahead began, as bits, and the
# probability of the rest of the words with this masked word.
_BRANCH = np.dtype(
    [(name, "i8") for name in ("begin", "end", "lives", "blanks")]
    + [("guessed", "u8"), ("rest", "f8")]
)


@njit(cache=True, nogil=True)
def win_probabilities(thread, num_threads, states, present, prob_listed, letters, listed, result):
    """Write the probability of winning with each of ``letters``, followed by greedy play.

    ``states`` are the observed ``word``, ``guessed`` and ``lives`` of N games; ``present``, shape
    (N, 26), and ``prob_listed``, shape (N,), are their beliefs. ``letters``, shape (N, K), is -1
    for none, where ``result``, shape (N, K), is left as it is.
    """
    word, guessed, lives = states
    for game in range(thread, len(word), num_threads):
        masked = word[game, : word_length(word[game])]
        rows = fitting_words(masked, guessed[game], listed.words, True, True)
        masses = listed_priors(listed, rows)
        # Loops compile in a tenth of the time of array expressions.
        total, candidates, count = 1e-300, 0.0, 0
        for row, mass in zip(rows, masses):  # noqa: B905 - the compiler does not know ``strict``
            if mass > 0.0:
                total += mass
                candidates += 0.0 if listed.is_known[row] else mass
                rows[count], masses[count] = row, mass
                count += 1
        words, masses = rows[:count], masses[:count]
        share, modeled_fraction = simulated_share(prob_listed[game], candidates / total)
        if len(words) > MAX_WORDS:
            likeliest = np.argsort(-masses, kind="mergesort")[:MAX_WORDS]
            words, masses = words[likeliest], masses[likeliest]
        shares = masses * (share / total)
        hypotheses = _hypotheses(masked, present[game], listed.words.codes, words, shares)
        values = rest_win_rates(hypotheses[3], modeled_fraction, lives[game])
        for choice in range(letters.shape[1]):
            if letters[game, choice] >= 0:
                result[game, choice] = _probability_won(hypotheses, values, letters[game, choice])


@njit(cache=True)
def simulated_share(prob_listed, candidates):
    """Return the probability of a listed secret, and the modeled fraction of the unlisted mass.

    ``candidates`` is the share of candidates in the matching listed words.
    """
    share = min(prob_listed, 1.0 / (1.0 + _MIN_UNLISTED * candidates))
    return share, (1.0 - prob_listed) / (1.0 - share) if share < 1.0 else 1.0


@njit(cache=True)
def rest_win_rates(rest, modeled_fraction, lives):
    """Return the win rates for words that are not simulated, by lives left, 0 to ``lives``."""
    log_odds = _PER_LETTER * rest.sum() + _PER_VARIANCE * (rest * (1.0 - rest)).sum()
    log_odds = _INTERCEPT + modeled_fraction * log_odds + (1.0 - modeled_fraction) * _UNFORESEEN
    values = 1.0 / (1.0 + np.exp(-log_odds - _PER_LIFE * np.arange(lives + 1)))
    values[0] = 0.0
    return values


@njit(cache=True)
def _hypotheses(word, present, codes, words, shares):
    """Return what can be behind the blanks of a game; rows ``words`` of ``codes`` are simulated.

    Returns the places of each letter in each simulated word as bits over the blanks, shape
    (words, 26); the letters behind blanks of each word as bits; ``shares``, the probability of each
    word; the probability of each letter behind a blank for the rest of the words; and the number of
    blanks.
    """
    num_words = len(words)
    places = np.zeros((num_words, NUM_LETTERS), dtype=np.uint32)
    letters = np.zeros(num_words, dtype=np.uint64)
    rest = present.copy()
    blanks = np.flatnonzero(word == BLANK)
    for row in range(num_words):
        for blank in range(len(blanks)):
            letter = codes[words[row], blanks[blank]] - FIRST_LETTER
            places[row, letter] |= np.uint32(1) << np.uint32(blank)
        for letter in range(NUM_LETTERS):
            if places[row, letter]:
                letters[row] |= np.uint64(1) << np.uint64(letter)
                rest[letter] -= shares[row]
    left = max(1.0 - shares.sum(), 1e-9)
    for letter in range(NUM_LETTERS):
        rest[letter] = min(max(rest[letter] / left, 0.0), 1.0)
    return places, letters, shares, rest, len(blanks)


@njit(cache=True)
def _probability_won(hypotheses, values, first_letter):
    """Return the probability of winning with ``first_letter``, followed by greedy play."""
    places, letters, shares, rest, num_blanks = hypotheses
    num_words = len(shares)
    # A group of words with the same masked word is a range of ``order``. A guess splits it by the
    # blanks that the letter fills; the parts are pushed on a stack.
    order = np.arange(num_words)
    filled = np.empty(num_words, dtype=np.uint32)
    presence = np.empty(NUM_LETTERS, dtype=np.float64)
    # A word is in at most one group, so that there are never more groups than words.
    stack = np.empty(num_words + 1, dtype=_BRANCH)
    root = stack[0]
    root.begin, root.end = 0, num_words
    root.lives, root.blanks = len(values) - 1, num_blanks
    root.guessed, root.rest = 0, max(1.0 - shares.sum(), 0.0)
    depth = 1
    won = 0.0
    while depth > 0:
        depth -= 1
        branch, letter = stack[depth], first_letter
        lives, scale, mass = branch.lives, branch.blanks / num_blanks, branch.rest
        if branch.guessed:
            words = order[branch.begin : branch.end]
            settled = _settle(words, letters, shares, branch.guessed, mass, values[lives], presence)
            if settled >= 0.0:
                won += settled
                continue
            for other in range(NUM_LETTERS):
                if not (branch.guessed >> np.uint64(other)) & np.uint64(1):
                    presence[other] += mass * scale * rest[other]
            letter = presence.argmax()
        hit = scale * rest[letter] * mass
        depth, elsewhere, missed = _split(stack, depth, letter, hit, places, shares, order, filled)
        won += elsewhere * values[lives]
        won += missed * values[lives - 1]
    return won


@njit(cache=True)
def _settle(words, letters, shares, guessed, rest, value, presence):
    """Return a branch's probability of winning if its guesses do not matter, else -1.

    ``presence`` becomes the mass of the simulated words that contain each unguessed letter.
    """
    mass = 0.0
    presence[:] = 0.0
    for word in words:
        mass += shares[word]
        left = letters[word] & ~guessed
        while left:
            presence[lowest_bit(left)] += shares[word]
            left &= left - np.uint64(1)
    if presence.max() == 0.0:
        # All blanks are filled.
        return mass + rest
    if mass < _MIN_SHARE * rest:
        return (mass + rest) * value
    if len(words) == 1 and rest < _MIN_SHARE * mass:
        return mass + rest * value
    return -1.0


@njit(cache=True)
def _split(stack, depth, letter, hit, places, shares, order, filled):
    """Replace ``stack[depth]`` by the branches after a guess.

    ``hit`` is the mass of the rest of the words that contain the letter. Returns the new size of
    the stack, and the unsimulated mass (hit, miss) that no branch continues.
    """
    branch = stack[depth]
    low, high, lives, blanks = branch.begin, branch.end, branch.lives, branch.blanks
    guessed = branch.guessed | (np.uint64(1) << np.uint64(letter))
    missed = branch.rest - hit
    with_letter = 0.0
    for place in range(low, high):
        filled[place] = places[order[place], letter]
        if filled[place]:
            with_letter += shares[order[place]]
    elsewhere = _ELSEWHERE * hit if with_letter > 0.0 else hit
    while low < high:
        # Move the words with the same blanks filled as the first word to the front.
        look, stop, mass = filled[low], low, 0.0
        for place in range(low, high):
            if filled[place] == look:
                mass += shares[order[place]]
                filled[place], filled[stop] = filled[stop], look
                order[place], order[stop] = order[stop], order[place]
                stop += 1
        branch = stack[depth]
        branch.begin, branch.end, branch.guessed = low, stop, guessed
        low = stop
        branch.blanks = blanks - count_bits(np.uint64(look))
        if look:
            branch.lives, branch.rest = lives, (hit - elsewhere) * mass / with_letter
            depth += 1
        elif lives > 1:
            branch.lives, branch.rest, missed = lives - 1, missed, 0.0
            depth += 1
        else:
            missed = 0.0
    return depth, elsewhere, missed
