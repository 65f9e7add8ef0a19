"""The words that an n-gram model and a game allow, summed over and listed: compiled passes.

The places of a word are passed from left to right. At each, a beginning of the word is known by
its context, a state of :class:`agents.smoothed_ngrams.SmoothedNgrams`; shown letters stand where
they are shown, blanks hold letters that have not been guessed, and the word ends where it does.
Beginnings are pruned by their mass so far times the mass of what can follow, which a backward pass
over n-grams of order 3 gives exactly. Words whose probability is known otherwise can be listed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from agents.posterior.listed_words import heaviest_words, is_listed, replace_masses
from agents.smoothed_ngrams import END, NUM_SYMBOLS, SmoothedNgrams
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING

# Where the listed words have all but this share of the mass, what is left is too small to be told
# from rounding and pruning: as much of the mass of all words stays.
_LEAST_LEFT = 0.01


def pair_table(model: SmoothedNgrams) -> npt.NDArray[np.float32]:
    """Return the probabilities of an order-3 model by the two letters before, shape (27, 27, 27).

    Index 26 on the first two axes is the beginning of the word (and what is before it).
    """
    table = np.empty((NUM_SYMBOLS, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    for first in range(NUM_SYMBOLS):
        before = model.start if first == NUM_LETTERS else model.next_state[0, first]
        for second in range(NUM_SYMBOLS):
            state = model.start if second == NUM_LETTERS else model.next_state[before, second]
            table[first, second] = model.probabilities[state]
    return table


@njit(cache=True, parallel=True)
def presence(  # noqa: ANN201
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    probabilities,  # noqa: ANN001
    next_state,  # noqa: ANN001
    start,  # noqa: ANN001
    pairs,  # noqa: ANN001
    listed,  # noqa: ANN001
    beam,  # noqa: ANN001
    num_threads,  # noqa: ANN001
):
    """Return the probability that each letter stands behind a blank, float64 of shape (N, 26).

    It is one minus the share of the allowed words without the letter, of which the contexts carry
    the mass; the words of ``listed``, a :class:`~agents.posterior.listed_words.ListedWords`, have
    their own mass instead. Contexts below ``beam`` of a place's mass are dropped; 0 keeps all, and
    is exact.
    """
    num_games = len(word)
    result = np.zeros((num_games, NUM_LETTERS), dtype=np.float64)
    num_blocks = min(num_threads, num_games)
    for block in prange(num_blocks):
        # Where a state is among the contexts of the next place; -1 for nowhere.
        slot = np.full(len(next_state), -1, dtype=np.int32)
        found = np.empty(max(1, listed.chunks.max()), dtype=np.uint64)
        where = np.empty(len(found), dtype=np.int64)
        for game in range(block, num_games, num_blocks):
            _presence(
                word[game],
                guessed[game],
                probabilities,
                next_state,
                start,
                pairs,
                listed,
                beam,
                slot,
                found,
                where,
                result[game],
            )
    return result


@njit(cache=True)
def _presence(  # noqa: ANN202
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    probabilities,  # noqa: ANN001
    next_state,  # noqa: ANN001
    start,  # noqa: ANN001
    pairs,  # noqa: ANN001
    listed,  # noqa: ANN001
    beam,  # noqa: ANN001
    slot,  # noqa: ANN001
    found,  # noqa: ANN001
    where,  # noqa: ANN001
    result,  # noqa: ANN001
):
    choices, num_choices, length, left = _choices(word, guessed)
    if len(left) == 0:
        return
    follows = _following_mass(length, choices, num_choices, pairs)
    # For each kept context: its state, its last two letters, and the mass of the beginnings that
    # end in it: without each letter behind a blank so far, and of all at index 26.
    states = np.full(1, start, dtype=np.int32)
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    mass = np.ones((1, NUM_SYMBOLS), dtype=np.float32)
    log_scale = 0.0
    for place in range(length):
        is_blank = word[place] == BLANK
        # Which contexts come next, and with what mass.
        most = min(len(states) * num_choices[place], len(next_state))
        new_states = np.empty(most, dtype=np.int32)
        new_lasts = np.empty((most, 2), dtype=np.int8)
        total = np.empty(most, dtype=np.float64)
        num_new = 0
        for kept in range(len(states)):
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
        # Where all are below the beam, the likeliest stays.
        lowest = min(beam * whole, total[:num_new].max())
        num_kept = 0
        for new in range(num_new):
            if total[new] >= lowest:
                slot[new_states[new]] = num_kept
                # Survivors move to the front, so that nothing unread is overwritten.
                new_states[num_kept] = new_states[new]
                new_lasts[num_kept] = new_lasts[new]
                num_kept += 1
            else:
                slot[new_states[new]] = -1
        new_mass = np.zeros((num_kept, NUM_SYMBOLS), dtype=np.float32)
        for kept in range(len(states)):
            state = states[kept]
            for choice in range(num_choices[place]):
                letter = choices[place, choice]
                new = slot[next_state[state, letter]]
                if new < 0:
                    continue
                factor = probabilities[state, letter]
                without = new_mass[new, letter]
                for symbol in range(NUM_SYMBOLS):
                    new_mass[new, symbol] += factor * mass[kept, symbol]
                if is_blank:
                    new_mass[new, letter] = without
        states = new_states[:num_kept]
        lasts = new_lasts[:num_kept]
        mass = new_mass
        # Keep the masses away from the smallest numbers of their type.
        largest = np.float32(0)
        for kept in range(num_kept):
            slot[states[kept]] = -1
            largest = max(largest, mass[kept, NUM_LETTERS])
        mass /= largest
        log_scale += np.log(largest)
    sums = np.zeros(NUM_SYMBOLS, dtype=np.float64)
    for kept in range(len(states)):
        ending = np.float64(probabilities[states[kept], END])
        for symbol in range(NUM_SYMBOLS):
            sums[symbol] += ending * mass[kept, symbol]
    everything = sums.copy()
    own = np.zeros(NUM_SYMBOLS, dtype=np.float64)
    replace_masses(word, guessed, length, log_scale, listed, found, where, sums, own)
    if sums[NUM_LETTERS] < _LEAST_LEFT * everything[NUM_LETTERS]:
        sums = np.maximum(sums, 0.0) + _LEAST_LEFT * everything
    sums += own
    for letter in left:
        share = sums[letter] / sums[NUM_LETTERS]
        # Pruning takes from the sums, and not from what is subtracted.
        result[letter] = 1.0 - min(max(share, 0.0), 1.0)


@njit(cache=True)
def likeliest_words(  # noqa: ANN201
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    probabilities,  # noqa: ANN001
    next_state,  # noqa: ANN001
    start,  # noqa: ANN001
    pairs,  # noqa: ANN001
    listed,  # noqa: ANN001
    num_words,  # noqa: ANN001
):
    """List the likeliest words of one game, by a beam of ``num_words`` beginnings.

    Words of ``listed`` are taken with their own mass, and those without are left out, unless that
    leaves none.

    Returns
    -------
    hidden : ndarray of int8, shape (found, MAX_LENGTH)
        The letters behind the blanks, in their order; entries after the last are 0.
    shares : ndarray of float64, shape (found,)
        The words' probabilities, as shares of the list's.
    """
    choices, num_choices, length, _ = _choices(word, guessed)
    follows = _following_mass(length, choices, num_choices, pairs)
    most = num_words * NUM_LETTERS
    states = np.full(1, start, dtype=np.int32)
    lasts = np.full(1, NUM_LETTERS, dtype=np.int8)
    mass = np.ones(1, dtype=np.float64)
    hidden = np.zeros((1, len(word)), dtype=np.int8)
    scores = np.empty(most, dtype=np.float64)
    parents = np.empty(most, dtype=np.int32)
    letters = np.empty(most, dtype=np.int8)
    num_blanks = 0
    log_scale = 0.0
    for place in range(length):
        count = 0
        for kept in range(len(states)):
            for choice in range(num_choices[place]):
                letter = choices[place, choice]
                scores[count] = (
                    mass[kept]
                    * probabilities[states[kept], letter]
                    * follows[place + 1, lasts[kept], letter]
                )
                parents[count] = kept
                letters[count] = letter
                count += 1
        lowest = 0.0
        if count > num_words:
            lowest = np.partition(scores[:count], count - num_words)[count - num_words]
        num_kept = 0
        for number in range(count):
            if scores[number] >= lowest and num_kept < num_words:
                parents[num_kept] = parents[number]
                letters[num_kept] = letters[number]
                num_kept += 1
        new_states = np.empty(num_kept, dtype=np.int32)
        new_mass = np.empty(num_kept, dtype=np.float64)
        new_hidden = np.zeros((num_kept, len(word)), dtype=np.int8)
        for kept in range(num_kept):
            state = states[parents[kept]]
            new_states[kept] = next_state[state, letters[kept]]
            new_mass[kept] = mass[parents[kept]] * probabilities[state, letters[kept]]
            for blank in range(num_blanks):
                new_hidden[kept, blank] = hidden[parents[kept], blank]
            if word[place] == BLANK:
                new_hidden[kept, num_blanks] = letters[kept]
        num_blanks += word[place] == BLANK
        states = new_states
        lasts = letters[:num_kept].copy()
        largest = new_mass.max()
        mass = new_mass / largest
        log_scale += np.log(largest)
        hidden = new_hidden
    unlisted = np.empty(len(states), dtype=np.bool_)
    for kept in range(len(states)):
        mass[kept] *= probabilities[states[kept], END]
        unlisted[kept] = not is_listed(word, hidden[kept], length, listed)
    listed_hidden, own = heaviest_words(word, guessed, length, listed, num_words)
    if unlisted.any() or len(own):
        hidden = np.concatenate((hidden[unlisted], listed_hidden))
        mass = np.concatenate((mass[unlisted], own * np.exp(-log_scale)))
    if len(mass) > num_words:
        heaviest = np.argsort(-mass)[:num_words]
        hidden, mass = hidden[heaviest], mass[heaviest]
    return hidden, mass / mass.sum()


@njit(cache=True)
def _choices(word, guessed):  # noqa: ANN001, ANN202
    """Return the letters that can stand at each place, their numbers, the length, all at blanks."""
    left = np.flatnonzero(guessed == 0).astype(np.int8)
    choices = np.empty((len(word), NUM_LETTERS), dtype=np.int8)
    num_choices = np.zeros(len(word), dtype=np.int64)
    length = 0
    while length < len(word) and word[length] != PADDING:
        if word[length] == BLANK:
            choices[length, : len(left)] = left
            num_choices[length] = len(left)
        else:
            choices[length, 0] = word[length] - FIRST_LETTER
            num_choices[length] = 1
        length += 1
    return choices, num_choices, length, left


@njit(cache=True)
def _following_mass(length, choices, num_choices, pairs):  # noqa: ANN001, ANN202
    """Return the mass of all that can follow two letters at each place, by n-grams of order 3.

    ``[place, a, b]`` is for the letters ``a`` and ``b`` before the place, 26 where there is none.
    Each place is scaled to a highest mass of 1.
    """
    follows = np.empty((length + 1, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    beginning = np.full(1, NUM_LETTERS, dtype=np.int8)
    for place in range(length, 0, -1):
        lasts = choices[place - 1, : num_choices[place - 1]]
        befores = choices[place - 2, : num_choices[place - 2]] if place > 1 else beginning
        largest = np.float32(0)
        for before in befores:
            for last in lasts:
                if place == length:
                    value = pairs[before, last, END]
                else:
                    value = np.float32(0)
                    for choice in range(num_choices[place]):
                        letter = choices[place, choice]
                        value += pairs[before, last, letter] * follows[place + 1, last, letter]
                follows[place, before, last] = value
                largest = max(largest, value)
        for before in befores:
            for last in lasts:
                follows[place, before, last] /= largest
    return follows
