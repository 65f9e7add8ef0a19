"""The cheating host ("evil Hangman"): it commits to no word while the game lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from hangman_lab.envs.compiled import count_bits, lowest_bit, word_length
from hangman_lab.envs.encoding import BLANK, MAX_LENGTH, NUM_LETTERS, EncodedWords, encode_words
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import HangmanGames, Step
from hangman_lab.envs.word_sets import ANYWHERE, fitting_set, search_room, set_with, word_sets
from hangman_lab.envs.words import SecretWords


class EvilHangmanGames(HangmanGames):
    """N games of Hangman against a host that changes the word.

    A new letter divides the words that fit all that was shown into families, by the places of the
    letter. The host keeps the largest family. Ties go to the words without the letter, then to the
    fewest places, then to the first masked word in alphabetical order, blanks first. The secret is
    the first word of the family; it fits all answers.

    ``words`` are sorted by length, as those of :class:`envs.words.SecretWords`. Of the secrets at
    the start, only the lengths count. ``rules`` are further arguments of :class:`HangmanGames`.
    """

    def __init__(self, num_games: int, words: EncodedWords, *rules: Any) -> None:
        super().__init__(num_games, words.width, *rules)
        self._words = words
        self._sets = word_sets(words.codes, words.lengths)

    def guess(self, letters: npt.NDArray[np.integer]) -> Step:
        """Keep the largest family of each game, then guess as :class:`HangmanGames` does."""
        self.check_actions(letters, NUM_LETTERS)
        games = np.flatnonzero(~self.over & (self._guessed[self._rows, letters] == 0))
        if len(games):
            state = (self._word, self._guessed.view(np.uint8), letters[:, None].astype(np.uint8))
            # Many games are alike, for agents that draw no letters all of a length.
            states = np.hstack(state)[games]
            keys = states.view(f"V{states.shape[1]}").ravel()
            _, first, number = np.unique(keys, return_index=True, return_inverse=True)
            rows = _first_of_families(states[first], self._sets)[number]
            # A secret that is not in the list, so that no word may fit, stays.
            games, rows = games[rows >= 0], rows[rows >= 0]
            self.secrets[games] = self._words.codes[rows]
            self._letter_counts[games] = self._words.letter_counts[rows]
        return super().guess(letters)


class EvilSecrets(SecretWords):
    """Words of the cheating host, drawn for their lengths; none can be set."""

    def encode(self, words: Sequence[str]) -> EncodedWords:
        """Raise ValueError if there is a word."""
        if words:
            raise ValueError("options: the evil host commits to no word, so that none can be set")
        return super().encode(words)


class EvilGame(Game):
    """A single game on plain strings against the cheating host, which has ``words``."""

    def __init__(self, secret: str, max_wrong: int, words: Sequence[str]) -> None:
        super().__init__(secret, max_wrong)
        self.words = words
        encoded = SecretWords(words).words
        self._games = EvilHangmanGames(1, encoded, max_wrong)
        self._games.start(slice(None), encode_words([secret], encoded.width))

    def guess(self, letter: int) -> int:
        """Let the host choose the secret, then guess; see :meth:`Game.guess`."""
        self._games.guess(np.array([letter]))
        self.secret = self._games.secret(0)
        return super().guess(letter)


@njit(cache=True)
def _first_of_families(states, words):
    """Return the row of the first word of each state's largest family, or -1, shape (N,).

    A state is a masked word, the guessed letters and the new letter.
    """
    rows = np.empty(len(states), dtype=np.int64)
    room = search_room(words)
    # A set of words, and those in search after it: at most one per place.
    families = np.empty((MAX_LENGTH + 2, len(room.bits)), dtype=np.uint64)
    for game in range(len(states)):
        word, guessed = states[game, : -NUM_LETTERS - 1], states[game, -NUM_LETTERS - 1 : -1]
        word = word[: word_length(word)]
        bits = fitting_set(word, guessed, words, True, True, room)
        first = _first_of_largest(bits, word, states[game, -1], words, families[:, : len(bits)])
        rows[game] = first if first < 0 else words.first_word[len(word)] + first
    return rows


@njit(cache=True)
def _first_of_largest(bits, word, letter, words, families):
    """Return the first word, a bit of ``bits``, of their largest family; -1 if there is none.

    A depth-first search that decides place by place whether it has the letter. Sets too small for
    a better family are pruned: all words with the letter, where half of the words are without it.
    """
    start, size = words.first_set[len(word)], len(bits)
    # Where the search of each set goes on, and the places shown so far.
    places, shown = np.zeros(len(families), np.int64), np.zeros(len(families), np.int64)
    has_letter = words.sets[set_with(start, size, ANYWHERE, letter) :][:size]
    families[0], families[1] = bits & has_letter, bits & ~has_letter
    top, places[1] = 1, len(word)
    largest, fewest, first = 0, 0, -1
    while top >= 0:
        count, place = _count(families[top]), places[top]
        if count > largest or (count == largest and shown[top] < fewest):
            while place < len(word) and word[place] != BLANK:
                place += 1
            if place < len(word):
                here = words.sets[set_with(start, size, place, letter) :][:size]
                # A blank comes before a letter in the alphabet, so it is searched first.
                families[top + 1], families[top] = families[top] & ~here, families[top] & here
                places[top : top + 2] = place + 1
                shown[top + 1] = shown[top]
                shown[top] += 1
                top += 1
                continue
            chunk = np.flatnonzero(families[top])[0]
            largest, fewest = count, shown[top]
            first = chunk * 64 + lowest_bit(families[top, chunk])
        top -= 1
    return first


@njit(cache=True)
def _count(bits):
    count = 0
    for chunk in bits:
        count += count_bits(chunk)
    return count
