"""Advice: the most likely letters by an agent, in a game here or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from agents import Agent, PosteriorAgent
from envs.encoding import ALPHABET, BLANK, decode
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from envs.words import WordList
from playing.screen import ask, draw_bars

NUM_LETTERS_SHOWN = 8
MAX_WORDS_SHOWN = 20


@dataclass(frozen=True)
class Adviser:
    """A fitted agent and its name."""

    name: str
    agent: Agent

    def choose(self, observations: Observation, game: int = 0) -> int:
        """Return the agent's guess, 0 to 25, in a batch of one game.

        ``game`` is the key of the game for agents that sample letters.
        """
        return int(self.agent.act(observations, np.array([game], dtype=np.uint64))[0])

    def show(self, console: Console, observations: Observation, count: int, game: int = 0) -> None:
        """Draw up to ``count`` letters as bars, with the agent's guess marked.

        Nothing is drawn for an agent without letter probabilities.
        """
        if not isinstance(self.agent, PosteriorAgent):
            return
        probabilities = self.agent.letter_probabilities(observations)[0]
        likeliest = np.argsort(-probabilities, kind="stable")[:count].tolist()
        letters = [(k, float(probabilities[k])) for k in likeliest if probabilities[k] > 0]
        if not letters:
            return
        chosen = self.choose(observations, game)
        title = f"{self.name}: the likeliest letters; it would guess {ALPHABET[chosen]}"
        bars = draw_bars(letters, chosen, console.width, console.options.ascii_only)
        console.print("\n".join([title, *bars]), style="cyan")


def assist(console: Console, adviser: Adviser, word_list: WordList, max_wrong: int) -> None:
    """Help in a game played elsewhere: show likely letters and the matching listed words.

    Reads the masked word and the wrong letters until the input ends. ``max_wrong`` wrong letters
    lose.
    """
    console.print(
        "Type the word as it stands (a pattern), with _ . - or ? for each hidden letter, "
        "for example _ pp _ e, then the wrong letters. Ctrl-D ends it."
    )
    while True:
        console.print()
        pattern = ask(console, "pattern: ", _read_pattern)
        observations = ask(
            console,
            "wrong letters: ",
            lambda wrong, pattern=pattern: parse_observation(pattern, wrong, max_wrong),
        )
        adviser.show(console, observations, NUM_LETTERS_SHOWN)
        _show_words(console, word_list, observations)


def _read_pattern(pattern: str) -> str:
    """Return a pattern; raise InputError if it has no blank."""
    if not (parse_observation(pattern)["word"] == BLANK).any():
        raise InputError(f"pattern {pattern!r}: no letter is hidden")
    return pattern


def _show_words(console: Console, word_list: WordList, observations: Observation) -> None:
    """Print the number of matching words, and the words if they are few."""
    words = matching_words(word_list.words, observations)
    count = f"{len(words):,} of the {len(word_list):,} words of {word_list.source} fit"
    if not words:
        console.print(f"no word of {word_list.source} fits; the letters are a guess")
    elif len(words) <= MAX_WORDS_SHOWN:
        console.print(f"{count}: {', '.join(words)}")
    else:
        console.print(count)


def matching_words(words: Sequence[str], observations: Observation) -> list[str]:
    """Return the words, in their order, that match a batch of one game."""
    guessed = "".join(ALPHABET[letter] for letter in np.flatnonzero(observations["guessed"][0]))
    blank = f"[^{guessed}]" if guessed else "."
    pattern = re.compile(decode(observations["word"][0]).replace("_", blank))
    return [word for word in words if pattern.fullmatch(word)]
