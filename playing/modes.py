"""Three modes: play alone, watch an agent, play against an agent.

Each function plays a game to the end and returns the winner: ``YOU``, the agent's name, or None.
``number`` is the key of the game for agents that sample letters.
"""

from __future__ import annotations

import time

from rich.columns import Columns
from rich.console import Console, Group

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.evil import EvilGame
from hangman_lab.envs.hangman.game import Game
from hangman_lab.playing.advice import Adviser, matching_words
from hangman_lab.playing.screen import ask, draw_board

YOU = "you"
NUM_HINTS = 5
_MAX_QUOTED = 20
_WON, _LOST = "bold green", "bold red"


def play_solo(console: Console, game: Game, adviser: Adviser | None) -> str | None:
    """Let the person guess, optionally with advice."""
    while not game.over:
        _show_board(console, game)
        if adviser is not None:
            adviser.show(console, game.observations, NUM_HINTS)
        letter = ask_letter(console, game)
        console.print(_describe(letter, game.guess(letter)))
    return _show_end(console, game, YOU)


def watch(console: Console, game: Game, adviser: Adviser, speed: float, number: int) -> str | None:
    """Let an agent guess ``speed`` letters per second; with 0, Enter shows the next letter."""
    while not game.over:
        _show_board(console, game)
        adviser.show(console, game.observations, NUM_HINTS, number)
        if speed > 0:
            time.sleep(1 / speed)
        else:
            ask(console, "Enter for the next letter ", str)
        letter = adviser.choose(game.observations, number)
        outcome = _describe(letter, game.guess(letter))
        console.print(f"{adviser.name} guesses {ALPHABET[letter]}: {outcome}")
    return _show_end(console, game, adviser.name)


def play_versus(console: Console, game: Game, adviser: Adviser, number: int) -> str | None:
    """Let the person and an agent, whose letters are hidden until the end, guess in turns."""
    name, opponent = adviser.name, Game(game.secret, game.max_wrong)
    while not game.over:
        _show_boards(console, game, opponent, name, hide_letters=True)
        letter = ask_letter(console, game)
        console.print(_describe(letter, game.guess(letter)))
        if not opponent.over:
            places = opponent.guess(adviser.choose(opponent.observations, number))
            console.print(f"{name}'s letter is {'' if places else 'not '}in the word")
    while not opponent.over:
        opponent.guess(adviser.choose(opponent.observations, number))
    _show_boards(console, game, opponent, name, hide_letters=False)
    console.print(f"{name} guessed {' '.join(opponent.guesses)}")
    yours, theirs = (game.won, game.lives), (opponent.won, opponent.lives)
    winner = None if yours == theirs else YOU if yours > theirs else name
    result = {YOU: "you win", None: "a draw"}.get(winner, f"{name} wins")
    console.print(f"{result}; the word is {game.secret}", style=_WON if winner == YOU else "bold")
    return winner


def ask_letter(console: Console, game: Game) -> int:
    """Ask until the answer is an unguessed letter; return it, 0 to 25."""

    def read(text: str) -> int:
        text = text.lower()
        if len(text) != 1:
            quoted = repr(text[:_MAX_QUOTED]) if text else "nothing"
            raise InputError(f"expected one letter a to z, not {quoted}")
        if text not in ALPHABET:
            raise InputError(f"{text!r} is not a letter a to z")
        if text in game.guesses:
            raise InputError(f"{text!r} was already guessed")
        return letter_index(text)

    return ask(console, "letter: ", read)


def _describe(letter: int, places: int) -> str:
    if not places:
        return f"{ALPHABET[letter]} is not in the word"
    return f"{ALPHABET[letter]} is in the word, {places} time{'s' if places > 1 else ''}"


def _show_board(console: Console, game: Game) -> None:
    console.print()
    console.print(draw_board(game, console.width))


def _show_boards(
    console: Console, game: Game, opponent: Game, name: str, hide_letters: bool
) -> None:
    """Draw both games side by side, or below each other if they do not fit."""
    boards = [
        Group(player, draw_board(played, console.width, _note(played), hide))
        for player, played, hide in ((YOU, game, False), (name, opponent, hide_letters))
    ]
    console.print()
    console.print(Columns(boards, padding=(0, 2), equal=True, expand=True))


def _note(game: Game) -> str:
    return ("won" if game.won else "lost") if game.over else ""


def _show_end(console: Console, game: Game, player: str) -> str | None:
    """Show the end of a single player's game; return the player if it was won."""
    _show_board(console, game)
    end = f"the word is {game.secret}"
    if isinstance(game, EvilGame):
        before = Game(game.secret, game.max_wrong, game.guesses[:-1])
        count = len(matching_words(game.words.words, before.observations))
        end = f"{game.secret} fitted all along; words left before the last guess: {count:,}"
    console.print(f"{player} {_note(game)}; {end}", style=_WON if game.won else _LOST)
    return player if game.won else None
