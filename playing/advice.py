"""Advice: the letters that an agent finds likeliest, in a game here or in one played elsewhere."""

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
    """An agent that is ready to play, with the name by which the person knows it."""

    name: str
    agent: Agent

    def choose(self, observations: Observation, game: int = 0) -> int:
        """Return the letter, 0 to 25, that the agent guesses in a batch of one game.

        ``game`` tells games apart, for agents that draw at random.
        """
        return int(self.agent.act(observations, np.array([game], dtype=np.uint64))[0])

    def show(self, console: Console, observations: Observation, count: int, game: int = 0) -> None:
        """Draw up to ``count`` letters as bars, with the letter marked that the agent would guess.

        An agent that cannot tell probabilities draws nothing.
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
    """Help in a game played elsewhere: show likely letters and the listed words that fit.

    The person types the word as it stands and the wrong letters, of which ``max_wrong`` lose,
    until the input ends.
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
    """Check a pattern, which must have a blank."""
    if not (parse_observation(pattern)["word"] == BLANK).any():
        raise InputError(f"pattern {pattern!r}: no letter is hidden")
    return pattern


def _show_words(console: Console, word_list: WordList, observations: Observation) -> None:
    """Count the words that fit, and list them if they are few."""
    words = matching_words(word_list.words, observations)
    count = f"{len(words):,} of the {len(word_list):,} words of {word_list.source} fit"
    if not words:
        console.print(f"no word of {word_list.source} fits; the letters are a guess")
    elif len(words) <= MAX_WORDS_SHOWN:
        console.print(f"{count}: {', '.join(words)}")
    else:
        console.print(count)


def matching_words(words: Sequence[str], observations: Observation) -> list[str]:
    """Return the words, in their order, that a batch of one game could hide."""
    guessed = "".join(ALPHABET[letter] for letter in np.flatnonzero(observations["guessed"][0]))
    blank = f"[^{guessed}]" if guessed else "."
    pattern = re.compile(decode(observations["word"][0]).replace("_", blank))
    return [word for word in words if pattern.fullmatch(word)]
