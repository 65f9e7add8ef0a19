"""A guesser for a host who picks the word: a mixture of planned strategies, for each length.

The host's mixed strategy is a softmax over words, trained by multiplicative weights against replies
that plan; the guesser's is the best mixture of these replies, by regret matching.

References
----------
Multiplicative weights: Y. Freund and R. E. Schapire, "Adaptive game playing using multiplicative
weights", Games and Economic Behavior 29 (1999). Regret matching plus, alternating, with linear
averages: O. Tammelin, N. Burch, M. Johanson and M. Bowling, "Solving heads-up limit Texas Hold'em",
IJCAI 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import get_num_threads, njit

from hangman_lab.agents.base import Agent
from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.envs.compiled import count_bits, in_threads, letter_bits, lowest_bit, word_length
from hangman_lab.envs.encoding import FIRST_LETTER, NUM_LETTERS
from hangman_lab.envs.hangman.observation import DEFAULT_MAX_WRONG, Observation, select
from hangman_lab.envs.keyed_random import keyed_uniform
from hangman_lab.envs.word_sets import fitting_words, search_room

DEFAULT_ROUNDS = 256
# The letters that a strategy compares at each turn.
_WIDTH = 2
# Weights are integers, whose sums do not depend on the order of the words.
_MOST = 1 << 40
# The search leaves out words with at most 1 / 4,096 of the weight of those that match.
_MIN_PART = 4096
# The mixture is solved on this many of the words that are lost most often.
_NUM_HARDEST = 4096
_BITS = 64


class Words(NamedTuple):
    """Words for compiled code."""

    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    #: shape (words, 26): The places of each letter, as bits.
    places: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, codes: npt.NDArray[np.uint8]) -> Self:
        """Return words by their codes, shape (words, width); see :class:`EncodedWords`."""
        places = np.zeros((len(codes), NUM_LETTERS), dtype=np.uint32)
        for place, column in enumerate(codes.T):
            rows = np.flatnonzero(column >= FIRST_LETTER)
            places[rows, column[rows] - FIRST_LETTER] |= np.uint32(1 << place)
        bits = np.uint32(1) << np.arange(NUM_LETTERS, dtype=np.uint32)
        return cls((places > 0) @ bits, places)


class Strategies(NamedTuple):
    """The solution of the game for the words of a length, after R rounds."""

    won: npt.NDArray[np.uint64]  #: shape (words, R / 64): The rounds that win each word, as bits.
    fewest: npt.NDArray[np.int64]  #: shape (R,): The fewest wins of a word before each round.
    weights: npt.NDArray[np.int64]  #: shape (R,): The weight of a word with more wins than these.
    first: npt.NDArray[np.int64]  #: shape (R,): The first letter of each round.
    mixture: npt.NDArray[np.float64]  #: shape (R,): The guesser's probability of each round.
    host: npt.NDArray[np.float64]  #: shape (words,): The host's average probability of each word.

    def win_rates(self) -> npt.NDArray[np.floating]:
        """Return the probability that the guesser's mixture wins each word, shape (words,)."""
        return self.mixture.astype(np.float32) @ _unpack(self.won, len(self.mixture))


def solve(
    words: Words,
    rounds: int = DEFAULT_ROUNDS,
    width: int = _WIDTH,
    max_wrong: int = DEFAULT_MAX_WRONG,
) -> Strategies:
    """Play the rounds of host and guesser on the words of a length; return both strategies.

    In each round, the host's weights are ``exp(-eta * wins)`` by the guesser's wins so far, and the
    guesser replies by :func:`reply`. The host's average counts later rounds more, linearly.
    """
    size = len(words.letters)
    wins, fewest = np.zeros(size, dtype=np.int64), np.zeros(rounds, dtype=np.int64)
    first, host = np.zeros(rounds, dtype=np.int64), np.zeros(size)
    won = np.zeros((size, -(-rounds // _BITS)), dtype=np.uint64)
    eta = np.sqrt(np.log(max(size, 2)) / rounds)
    weights = 1 + (_MOST * np.exp(-eta * np.arange(rounds))).astype(np.int64)
    for number in range(rounds):
        fewest[number] = wins.min()
        weight = weights[wins - fewest[number]]
        is_won, first[number] = reply(words, weight, width, max_wrong)
        host += (number + 1) * weight / weight.sum()
        wins += is_won
        won[:, number // _BITS] |= is_won.astype(np.uint64) << np.uint64(number % _BITS)
        if is_won.all():
            # This strategy wins every word for certain.
            mixture = (np.arange(rounds) == number) * 1.0
            break
    else:
        hardest = np.argsort(wins, kind="stable")[:_NUM_HARDEST]
        mixture = best_mixture(_unpack(won[hardest], rounds))
    return Strategies(won, fewest, weights, first, mixture, host / host.sum())


def _unpack(won: npt.NDArray[np.uint64], rounds: int) -> npt.NDArray[np.float32]:
    """Return whether each round wins each word as 0 or 1, shape (rounds, words)."""
    bits = np.unpackbits(won.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, :rounds].T.astype(np.float32)


def best_mixture(won: npt.NDArray[np.float32], steps: int = 300) -> npt.NDArray[np.float64]:
    """Return probabilities of rounds that nearly maximize the win rate of the worst word.

    ``won``, shape (rounds, words), is 0 or 1. Both sides of this matrix game do regret matching.
    """
    rounds, words = won.shape
    guesser, host = np.full(rounds, np.float32(1 / rounds)), np.full(words, np.float32(1 / words))
    regret, host_regret = np.zeros(rounds, np.float32), np.zeros(words, np.float32)
    total = np.full(rounds, 1 / rounds)
    for step in range(steps):
        values = won @ host
        regret = np.maximum(regret + values - guesser @ values, 0)
        if regret.any():
            guesser = regret / regret.sum()
        values = guesser @ won
        host_regret = np.maximum(host_regret + values @ host - values, 0)
        if host_regret.any():
            host = host_regret / host_regret.sum()
        total += (step + 1) * guesser
    return total / total.sum()


def reply(
    words: Words,
    weights: npt.NDArray[np.int64],
    width: int,
    max_wrong: int = DEFAULT_MAX_WRONG,
    min_part: int = _MIN_PART,
) -> tuple[npt.NDArray[np.bool_], int]:
    """Return whether the reply to the host's ``weights`` wins each word, and its first letter.

    At each turn, the words with more than 1 / ``min_part`` of the weight are searched to the end
    over the ``width`` letters that most weight contains; 1 is greedy play.
    """
    won = np.zeros(len(weights), dtype=np.bool_)
    return won, _reply(words, weights, width, max_wrong, min_part, won)


class RobustAgent(Agent):
    """Draws one of many strategies for each game, so that no word is hard for certain.

    A strategy is the reply to a host who picks the word, in a round of :func:`solve`. The draw
    depends on the seed and the game's key, which is the same at every turn. In games that no listed
    word matches it plays like :class:`DictionaryAgent`.

    Parameters
    ----------
    seed : int, default 0
        The seed of the draws.
    rounds : int, default 256
        The strategies for each length.
    max_wrong : int, default 6
        The wrong guesses that lose a game of the host's; another limit can be played.

    Attributes
    ----------
    strategies_ : dict of int to Strategies
        By word length. A strategy needs one bit per word: 7 MB for 211,000 words and 256 rounds,
        beside 22 MB of places of letters; fitting takes about 100 MB more.
    """

    def __init__(
        self, seed: int = 0, rounds: int = DEFAULT_ROUNDS, max_wrong: int = DEFAULT_MAX_WRONG
    ) -> None:
        self.seed = seed
        self.rounds = rounds
        self.max_wrong = max_wrong

    def fit(self, words: Sequence[str]) -> Self:
        """Solve the game of each length, in threads."""
        self.dictionary_ = DictionaryAgent().fit(words)
        index = self.dictionary_.index_.words
        self.words_ = Words.of(index.codes)

        def solve_length(length: int) -> Strategies:
            part = slice(index.first_word[length], index.first_word[length + 1])
            arrays = Words(*(array[part] for array in self.words_))
            return solve(arrays, self.rounds, _WIDTH, self.max_wrong)

        # The largest first, so that threads end together.
        sizes = np.diff(index.first_word)
        lengths = [int(length) for length in np.argsort(-sizes, kind="stable") if sizes[length]]
        with ThreadPoolExecutor(get_num_threads()) as pool:
            solved = pool.map(solve_length, lengths)
            self.strategies_ = dict(zip(lengths, solved, strict=True))
        return self

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games; see :meth:`Agent.act`."""
        word, lives = observations["word"], observations["lives"]
        lengths = (word > 0).sum(axis=1)
        if keys is None:
            keys = np.arange(len(word), dtype=np.uint64)
        draws = keyed_uniform(self.seed, keys)
        letters = np.full(len(word), -1, dtype=np.int64)
        for length in np.unique(lengths):
            strategies = self.strategies_.get(int(length))
            if strategies is None:
                continue
            games = np.flatnonzero(lengths == length)
            cumulative = strategies.mixture.cumsum()
            rounds = np.searchsorted(cumulative / cumulative[-1], draws[games], side="right")
            states = np.column_stack(
                [word[games], observations["guessed"][games], lives[games], rounds]
            )
            _, first, number = np.unique(states, axis=0, return_index=True, return_inverse=True)
            chosen = games[first]
            answers = np.full(len(chosen), -1, dtype=np.int64)
            in_threads(
                _choose_letters,
                (word[chosen], observations["guessed"][chosen], lives[chosen]),
                rounds[first],
                self.dictionary_.index_.words,
                self.words_,
                strategies,
                self.max_wrong,
                answers,
            )
            letters[games] = answers[number.ravel()]
        unknown = letters < 0
        if unknown.any():
            letters[unknown] = self.dictionary_.act_batch(select(observations, unknown))
        return letters


@njit(cache=True, nogil=True)
def _choose_letters(
    thread, num_threads, states, rounds, listed, words, strategies, max_wrong, result
):
    """Write each state's letter by its round's strategy; leave it where no word matches."""
    word, guessed, lives = states
    room = search_room(listed)
    weights = np.zeros(len(words.letters), dtype=np.int64)
    heavy = np.empty(len(words.letters), dtype=np.int64)
    for state in range(thread, len(word), num_threads):
        number = rounds[state]
        if lives[state] == max_wrong and not guessed[state].any():
            result[state] = strategies.first[number]
            continue
        masked = word[state, : word_length(word[state])]
        matching = fitting_words(masked, guessed[state], listed, True, True, room)
        if len(matching) == 0:
            continue
        begin = listed.first_word[len(masked)]
        for entry in matching:
            wins = _wins_before(strategies.won[entry - begin], number)
            weights[entry] = strategies.weights[wins - strategies.fewest[number]]
        letters = np.uint64(letter_bits(guessed[state]))
        left = lives[state]
        letter = _choose(matching, letters, left, _WIDTH, _MIN_PART, weights, words, heavy)
        # A word whose letters have all been guessed leaves nothing to guess.
        if letter >= 0:
            result[state] = letter


@njit(cache=True)
def _wins_before(won, number):
    """Return how many of the first ``number`` rounds are won; ``won`` is a bit per round."""
    chunk = number // _BITS
    below = (np.uint64(1) << np.uint64(number % _BITS)) - np.uint64(1)
    wins = count_bits(won[chunk] & below)
    for full in range(chunk):
        wins += count_bits(won[full])
    return wins


@njit(cache=True, nogil=True)
def _reply(words, weights, width, lives, min_part, won):
    """Write whether the reply wins each word; return its first letter."""
    size = len(weights)
    order, heavy = np.arange(size), np.empty(size, dtype=np.int64)
    # Groups of words with the same masked word are ranges of ``order``. A word is in at most one.
    stack = np.empty((size + 1, 3), dtype=np.int64)
    guessed = np.zeros(size + 1, dtype=np.uint64)
    stack[0, :] = (0, size, lives)
    depth, first = 1, -1
    while depth > 0:
        depth -= 1
        low, end, left = stack[depth]
        known = guessed[depth]
        group = order[low:end]
        letter = _choose(group, known, left, width, min_part, weights, words, heavy)
        if first < 0:
            first = letter
        if letter < 0 or end - low <= left:
            won[group] = True
            continue
        while low < end:
            places, stop = _split(order, low, end, letter, words.places)
            if places or left > 1:
                stack[depth, :] = (low, stop, left if places else left - 1)
                guessed[depth] = known | (np.uint64(1) << np.uint64(letter))
                depth += 1
            low = stop
    return max(first, 0)


@njit(cache=True)
def _choose(group, guessed, lives, width, min_part, weights, words, heavy):
    """Return the reply's letter for the matching words ``group``, or -1 if none is left."""
    counts = np.empty(NUM_LETTERS, dtype=np.int64)
    total = _count(group, guessed, weights, words.letters, counts)
    letter = counts.argmax()
    # A letter in all words costs nothing, and few words are all won.
    if counts[letter] == 0:
        return -1
    if width == 1 or counts[letter] == total or len(group) <= lives:
        return letter
    size = 0
    for word in group:
        if weights[word] > total // min_part:
            heavy[size] = word
            size += 1
    if size > lives:
        letter = _search(heavy[:size], guessed, lives, width, weights, words)[1]
    return letter


@njit(cache=True)
def _count(group, guessed, weights, letters, counts):
    """Write the weight of the words with each unguessed letter; return that of all words."""
    total = 0
    counts[:] = 0
    for word in group:
        total += weights[word]
        left = np.uint64(letters[word]) & ~guessed
        while left:
            counts[lowest_bit(left)] += weights[word]
            left &= left - np.uint64(1)
    return total


@njit(cache=True)
def _split(order, low, end, letter, places):
    """Move the words with the letter at the places of the first one to the front of a range.

    Returns these places and the end of these words.
    """
    same, stop = places[order[low], letter], low
    for row in range(low, end):
        if places[order[row], letter] == same:
            order[row], order[stop] = order[stop], order[row]
            stop += 1
    return same, stop


@njit(cache=True)
def _search(group, guessed, lives, width, weights, words):
    """Return the most weight of ``group``, which is reordered, that is won, and the letter for it.

    The ``width`` letters that most weight contains are searched to the end.
    """
    counts = np.empty(NUM_LETTERS, dtype=np.int64)
    total = _count(group, guessed, weights, words.letters, counts)
    most, best = -1, counts.argmax()
    # Every miss with a letter of some word excludes a word.
    if len(group) <= lives or counts[best] == 0:
        return total, best
    for _ in range(width):
        letter = counts.argmax()
        with_letter = counts[letter]
        # An upper bound, which decreases as branches lose words.
        won = with_letter if lives == 1 else total
        if with_letter <= 0 or won <= most:
            break
        counts[letter] = -1
        low = 0
        while low < len(group) and won > most:
            places, stop = _split(group, low, len(group), letter, words.places)
            left = lives if places else lives - 1
            if stop - low > left > 0:
                known = guessed | (np.uint64(1) << np.uint64(letter))
                branch = group[low:stop]
                for word in branch:
                    won -= weights[word]
                won += _search(branch, known, left, width, weights, words)[0]
            low = stop
        if won > most:
            most, best = won, letter
        if most == total or with_letter == total:
            break
    return most, best
