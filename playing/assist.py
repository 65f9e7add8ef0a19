"""Help in a game that is played elsewhere.

The person types the word as it stands and the wrong letters; the answer is the letters to try,
and the words of the list that fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from envs.encoding import ALPHABET, BLANK, decode
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from envs.words import WordList
from playing.advice import Adviser
from playing.terminal import Terminal

NUM_LETTERS_SHOWN = 8
MAX_WORDS_SHOWN = 20

T = TypeVar("T")


def assist(terminal: Terminal, adviser: Adviser, word_list: WordList, max_wrong: int) -> None:
    """Answer one state of a game after the other, until the input ends.

    The adviser is able to tell probabilities, and ``max_wrong`` wrong guesses lose; words that fit
    are looked up in the list.
    """
    terminal.print(
        "Type the word as it stands (a pattern), with _ . - or ? for each hidden letter, "
        "for example _ pp _ e, then the wrong letters. Ctrl-D ends it."
    )
    while True:
        terminal.print()
        observations = _ask_game(terminal, max_wrong)
        adviser.show(terminal, observations, NUM_LETTERS_SHOWN)
        _show_words(terminal, word_list, observations)


def _ask_game(terminal: Terminal, max_wrong: int) -> Observation:
    def read_pattern(pattern: str) -> str:
        if not (parse_observation(pattern)["word"] == BLANK).any():
            raise InputError(f"pattern {pattern!r}: no letter is hidden")
        return pattern

    pattern = _ask_until_read(terminal, "pattern: ", read_pattern)
    return _ask_until_read(
        terminal, "wrong letters: ", lambda wrong: parse_observation(pattern, wrong, max_wrong)
    )


def _ask_until_read(terminal: Terminal, prompt: str, read: Callable[[str], T]) -> T:
    while True:
        try:
            return read(terminal.ask(prompt))
        except InputError as error:
            terminal.complain(str(error))


def _show_words(terminal: Terminal, word_list: WordList, observations: Observation) -> None:
    words = matching_words(word_list.words, observations)
    count = f"{len(words):,} of the {len(word_list):,} words of {word_list.source} fit"
    if not words:
        terminal.print(f"no word of {word_list.source} fits; the letters are a guess")
    elif len(words) <= MAX_WORDS_SHOWN:
        terminal.print(f"{count}: {', '.join(words)}")
    else:
        terminal.print(count)


def matching_words(words: Sequence[str], observations: Observation) -> list[str]:
    """Return the words that the game could hide, in their order.

    Parameters
    ----------
    words : sequence of str
    observations : Observation
        Of one game, as a batch.
    """
    guessed = "".join(ALPHABET[letter] for letter in np.flatnonzero(observations["guessed"][0]))
    blank = f"[^{guessed}]" if guessed else "."
    pattern = re.compile(decode(observations["word"][0]).replace("_", blank))
    return [word for word in words if pattern.fullmatch(word)]
