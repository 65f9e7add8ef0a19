"""The cheating host ("evil Hangman"): it commits to no word while the game lasts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.bits import count_bits, lowest_bit, word_length
from hangman_lab.envs.encoding import ALPHABET, BLANK, EncodedWords
from hangman_lab.envs.errors import InputError, check_state
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.games import HangmanGames, Index
from hangman_lab.envs.hangman.rules import GuessResult, Rules
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.word_sets import (
    ANYWHERE,
    WordSets,
    matching_rows,
    matching_set,
    set_with,
    word_sets,
)


class EvilHangmanGames(HangmanGames):
    """N games of Hangman against a host that changes the word.

    A new letter divides the words that match everything shown into families, by the places of the
    letter. The host keeps the largest family. Ties go to the words without the letter, then to the
    fewest places, then to the first masked word in alphabetical order, blanks first. The secret is
    the first word of the family; it fits all answers.

    ``words`` are those of :class:`SecretWords`. The secrets that ``start`` gets are among these,
    but only their lengths matter.
    """

    def __init__(self, num_games: int, words: EncodedWords, rules: Rules) -> None:
        super().__init__(num_games, words.width, rules)
        self._words = words
        self._sets = _sets_of(words)

    def start(self, games: Index, secrets: EncodedWords) -> None:
        """Start new games; InputError if no word has the length of a secret."""
        missing = secrets.lengths[self._sets.sizes()[secrets.lengths] == 0]
        if len(missing):
            raise InputError(f"words: none has {missing.min()} letters")
        super().start(games, secrets)

    def set_state(self, state: Any, *ends: Any) -> None:
        """Restore a saved state; InputError also if a secret is not the first word that fits."""
        check_state(state, self.get_state())
        listed = set(map(bytes, self._words.codes))
        if not listed.issuperset(map(bytes, state["secrets"])):
            raise InputError("state: a secret is not one of the words")
        restored = HangmanGames(len(self), self._words.width, self.rules)
        restored.set_state(state, *ends)
        games = np.flatnonzero(state["guessed"].any(axis=1))
        word, guessed = restored._word[games], restored._guessed[games]
        # Whatever fits the answers has or lacks a guessed letter alike: one family.
        kept = _first_of_largest(word, guessed, guessed.argmax(axis=1), self._sets)
        if (self._words.codes[kept] != state["secrets"][games]).any():
            raise InputError("state: a secret is not the first word that fits the answers")
        super().set_state(state, *ends)

    def guess(self, letters: npt.NDArray[np.integer]) -> GuessResult:
        """Keep the largest family of each game, then guess as :class:`HangmanGames` does."""
        letters = self.check_letters(letters)
        was_guessed = self._guessed[np.arange(len(self)), letters] != 0
        games = np.flatnonzero(~(self.over | was_guessed))
        word, guessed = self._word[games], self._guessed[games]
        kept = _first_of_largest(word, guessed, letters[games], self._sets)
        self.secrets[games] = self._words.codes[kept]
        self._letter_counts[games] = self._words.letter_counts[kept]
        return super().guess(letters)


class EvilGame(Game):
    """A single game against the cheating host, which has ``words``."""

    def __init__(self, secret: str, rules: Rules, words: SecretWords) -> None:
        super().__init__(secret, rules)
        self.words = words

    def guess(self, letter: int) -> int:
        """Let the host choose the secret, then guess; see :meth:`Game.guess`."""
        if not self.over and ALPHABET[letter] not in self.guesses:
            shown, sets = self.observations, _sets_of(self.words.encoded)
            kept = _first_of_largest(shown["word"], shown["guessed"], np.array([letter]), sets)
            self.secret = self.words.words[kept[0]]
        return super().guess(letter)

    def guess_word(self, word: str) -> bool:
        """Rule out the word, unless it is the only one that fits; see :meth:`Game.guess_word`."""
        shown, sets = self.observations, _sets_of(self.words.encoded)
        rows = matching_rows(shown["word"][0], shown["guessed"][0], sets, True, True)
        others = [self.words.words[row] for row in rows if self.words.words[row] != word]
        if 0 < len(others) < len(rows):
            # The host has answered that this word is not the secret.
            self.words, self.secret = SecretWords(others), others[0]
        return super().guess_word(word)


@lru_cache(maxsize=8)
def _sets_of(words: EncodedWords) -> WordSets:
    """Return the bit sets of words, which are shared by the environments with these words."""
    return word_sets(words)


@njit
def _first_of_largest(word, guessed, letters, words):
    """Return the row of the first word of each game's largest family, shape (N,)."""
    first = np.zeros(len(word), np.int64)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        bits = matching_set(masked, guessed[game], words, True, True)
        best = np.array([0, 0, -1])
        start = set_with(words.first_set[len(masked)], len(bits), ANYWHERE, letters[game])
        has_letter = words.sets[start : start + len(bits)]
        zero = np.int64(0)  # with literals, the recursion fails when loaded from the cache
        # The words without the letter first: mostly the largest family, which prunes the others.
        _find_largest(bits & ~has_letter, masked, len(masked), zero, letters[game], words, best)
        _find_largest(bits & has_letter, masked, zero, zero, letters[game], words, best)
        first[game] = words.first_word[len(masked)] + best[2]
    return first


@njit
def _find_largest(bits, word, place, shown, letter, words, best):
    """Write to ``best`` the size of a set's largest family, the places it shows, its first word.

    Place by place, the set is divided by whether its words have the letter there. A set that cannot
    beat ``best`` is skipped.
    """
    size = 0
    for chunk in bits:
        size += count_bits(chunk)
    if size == 0 or size < best[0] or (size == best[0] and shown >= best[1]):
        return
    while place < len(word) and word[place] != BLANK:
        place += 1
    if place < len(word):
        start = set_with(words.first_set[len(word)], len(bits), place, letter)
        here = words.sets[start : start + len(bits)]
        # A blank comes before a letter in the alphabet.
        _find_largest(bits & ~here, word, place + 1, shown, letter, words, best)
        _find_largest(bits & here, word, place + 1, shown + 1, letter, words, best)
    else:
        chunk = np.flatnonzero(bits)[0]
        best[:] = size, shown, chunk * 64 + lowest_bit(bits[chunk])
