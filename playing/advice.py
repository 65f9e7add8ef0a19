"""Advice by an agent: the most likely letters of a game played here or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console

from hangman_lab.agents import Agent, PosteriorAgent
from hangman_lab.envs.encoding import ALPHABET, BLANK, decode
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import BLANKS, Observations, parse_observation
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.word_sets import WordSets
from hangman_lab.evaluation.reviews import review_games, review_table, summarize_review
from hangman_lab.playing.prompt import ask
from hangman_lab.terminal.tables import print_table

NUM_LETTERS_SHOWN = 8
MAX_WORDS_SHOWN = 20
_MAX_BAR = 40


@dataclass(frozen=True)
class Adviser:
    """A fitted agent and its name."""

    name: str
    agent: Agent
    listed: WordSets | None = None  #: The words for reviews, if games are reviewed.

    def choose(self, observations: Observations, game: int = 0) -> int:
        """Return the agent's guess, 0 to 25; ``game`` is the key of agents that sample letters."""
        return int(self.agent.act_batch(observations, np.array([game], dtype=np.uint64))[0])

    def show(self, console: Console, observations: Observations, count: int, game: int = 0) -> None:
        """Draw up to ``count`` letters as bars, if the agent has letter probabilities."""
        if not isinstance(self.agent, PosteriorAgent):
            return
        probabilities = self.agent.letter_probabilities(observations)[0]
        likeliest = np.argsort(-probabilities, kind="stable")[:count]
        chosen = self.choose(observations, game)
        lines = [f"{self.name}: most likely letters; its guess: {ALPHABET[chosen]}"]
        block = "#" if console.options.ascii_only else "█"
        for letter in likeliest[probabilities[likeliest] > 0]:
            mark, probability = ">" if letter == chosen else " ", probabilities[letter]
            label = f"{mark} {ALPHABET[letter]}  {probability:4.0%}  "
            longest = max(0, min(_MAX_BAR, console.width - len(label)))
            lines.append((label + block * round(longest * probability)).rstrip())
        console.print("\n".join(lines), style="cyan")

    def review(self, console: Console, game: Game, with_table: bool) -> None:
        """Print what a person's guesses were worth, if the agent has letter probabilities."""
        if self.listed is None or not isinstance(self.agent, PosteriorAgent):
            return
        table = review_games(self.agent, self.listed, [game.secret], [game.guesses], game.rules)
        if with_table:
            print_table(console, review_table(table, f"review of {game.secret}", self.name))
        summary = summarize_review(table)
        yours, theirs = summary["mean_probability"], summary["mean_agent_probability"]
        console.print(
            f"mean probability that a guess hits: {yours:.0%} for yours, {theirs:.0%} for "
            f"{self.name}'s{'' if with_table else '; --review shows each guess'}"
        )


def assist(
    console: Console, adviser: Adviser, words: Sequence[str], source: str, rules: Rules
) -> None:
    """Help in a game played elsewhere."""
    console.print(
        "Type the pattern of the word, with _ . - or ? for each hidden letter, for example "
        "_ pp _ e, then the wrong letters: Enter for none, or a pattern to correct the first. "
        "Ctrl-D quits."
    )
    while True:
        console.print()
        answer: Observations | str = ask(console, "pattern: ", _read_pattern)
        while isinstance(answer, str):
            read = partial(_read_wrong, answer, rules.max_wrong)
            answer = ask(console, "wrong letters (Enter: none): ", read)
        observations = answer
        adviser.show(console, observations, NUM_LETTERS_SHOWN)
        matching = matching_words(words, observations)
        shown = f": {', '.join(matching)}" if 0 < len(matching) <= MAX_WORDS_SHOWN else ""
        console.print(f"{len(matching):,} of the {len(words):,} words of {source} fit{shown}")


def _read_pattern(pattern: str) -> str:
    if not (parse_observation(pattern)["word"] == BLANK).any():
        raise InputError(f"pattern {pattern!r}: no letter is hidden")
    return pattern


def _read_wrong(pattern: str, max_wrong: int, text: str) -> Observations | str:
    """Return the observation of a pattern and wrong letters, or another pattern."""
    if any(mark in text for mark in BLANKS):
        return _read_pattern(text)
    observations = parse_observation(pattern, "" if text.lower() == "none" else text, max_wrong)
    if observations["guessed"].all():
        raise InputError(f"wrong letters {text!r}: no letter is left for the blanks")
    return observations


def matching_words(words: Sequence[str], observations: Observations) -> list[str]:
    """Return the words that match the observation of one game, in their order."""
    guessed = "".join(ALPHABET[letter] for letter in np.flatnonzero(observations["guessed"][0]))
    blank = f"[^{guessed}]" if guessed else "."
    pattern = re.compile(decode(observations["word"][0]).replace("_", blank))
    return [word for word in words if pattern.fullmatch(word)]
