"""Three modes: play alone, watch an agent, play against an agent.

Each function plays a game to the end and returns the winner: ``YOU``, the agent's name, or None.
``number`` is the key of the game for agents that sample letters.
"""

from __future__ import annotations

import time

from rich.console import Console

from hangman_lab.envs.encoding import ALPHABET, letter_index, lower_case
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.evil import EvilGame
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rendering import draw_text
from hangman_lab.playing.advice import Adviser, matching_words
from hangman_lab.playing.prompt import ask

YOU = "you"
NUM_HINTS = 5
_MAX_QUOTED = 20
_LONGEST_PAUSE = 1e6  # in seconds; more would overflow
_WON, _LOST = "bold green", "bold red"


def play_solo(console: Console, game: Game, adviser: Adviser | None) -> str | None:
    """Let the person guess, optionally with advice."""
    while not game.over:
        _show_board(console, game)
        if adviser is not None:
            adviser.show(console, game.observations, NUM_HINTS)
        _guess(console, game)
    return _show_end(console, game, YOU)


def watch(console: Console, game: Game, adviser: Adviser, speed: float, number: int) -> str | None:
    """Let an agent guess ``speed`` letters per second; with 0, Enter shows the next letter."""
    while not game.over:
        _show_board(console, game)
        adviser.show(console, game.observations, NUM_HINTS, number)
        if speed > 0:
            time.sleep(min(1 / speed, _LONGEST_PAUSE))
        else:
            ask(console, "Enter for the next letter ", str)
        letter = adviser.choose(game.observations, number)
        outcome = _describe(letter, game.guess(letter))
        console.print(f"{adviser.name} guesses {ALPHABET[letter]}: {outcome}")
    return _show_end(console, game, adviser.name)


def play_versus(console: Console, game: Game, adviser: Adviser, number: int) -> str | None:
    """Let the person and an agent, whose letters are hidden until the end, guess in turns."""
    name, opponent = adviser.name, Game(game.secret, game.rules)
    while not game.over:
        _show_board(console, game)
        lives = f"lives {opponent.lives} of {game.rules.max_wrong}"
        console.print(f"{name}: {opponent.shown} of {len(game.secret)} letters, {lives}")
        _guess(console, game)
        if not opponent.over:
            opponent.guess(adviser.choose(opponent.observations, number))
    while not opponent.over:
        opponent.guess(adviser.choose(opponent.observations, number))
    _show_board(console, game)
    console.print(f"{name} guessed {' '.join(opponent.guesses)}")
    yours, theirs = (game.won, game.lives), (opponent.won, opponent.lives)
    winner = None if yours == theirs else YOU if yours > theirs else name
    result = {YOU: "you win", None: "a draw"}.get(winner, f"{name} wins")
    console.print(f"{result}; the word is {game.secret}", style=_WON if winner == YOU else "bold")
    return winner


def _guess(console: Console, game: Game) -> None:
    """Ask until the answer is an unguessed letter, and guess it."""

    def read(text: str) -> int:
        text = lower_case(text)
        if len(text) != 1:
            quoted = repr(text[:_MAX_QUOTED]) if text else "nothing"
            raise InputError(f"expected one letter a to z, not {quoted}")
        if text not in ALPHABET:
            raise InputError(f"{text!r} is not a letter a to z")
        if text in game.guesses:
            raise InputError(f"{text!r} was already guessed")
        return letter_index(text)

    letter = ask(console, "letter: ", read)
    console.print(_describe(letter, game.guess(letter)))


def _describe(letter: int, places: int) -> str:
    if not places:
        return f"{ALPHABET[letter]} is not in the word"
    return f"{ALPHABET[letter]} is in the word, {places} time{'s' if places > 1 else ''}"


def _show_board(console: Console, game: Game) -> None:
    wrong = "".join(sorted(game.wrong_letters))
    console.print(f"\n{draw_text(game.word, wrong, game.lives, game.rules.max_wrong)}")


def _show_end(console: Console, game: Game, player: str) -> str | None:
    """Show the end of a single player's game; return the player if it was won."""
    _show_board(console, game)
    end = f"the word is {game.secret}"
    if isinstance(game, EvilGame):
        before = Game(game.secret, game.rules, game.guesses[:-1])
        count = len(matching_words(game.words.words, before.observations))
        end = f"{game.secret} fitted all along; words left before the last guess: {count:,}"
    result, style = ("won", _WON) if game.won else ("lost", _LOST)
    console.print(f"{player} {result}; {end}", style=style)
    return player if game.won else None
