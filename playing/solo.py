"""A person guesses a word, alone or with an agent's hints."""

from __future__ import annotations

from playing.advice import Adviser
from playing.drawing import draw_board
from playing.game import Game, ask_letter, describe_guess
from playing.terminal import Terminal

YOU = "you"
NUM_HINTS = 5


def play_solo(terminal: Terminal, game: Game, adviser: Adviser | None) -> str | None:
    """Play one game; return ``YOU`` if the person won it.

    Parameters
    ----------
    terminal : Terminal
    game : Game
    adviser : Adviser, optional
        Its five likeliest letters are shown each turn.
    """
    while not game.over:
        terminal.print()
        print_lines(terminal, draw_board(game.observation, game.max_wrong, terminal.width))
        if adviser is not None:
            adviser.show(terminal, game.observations, NUM_HINTS)
        letter = ask_letter(terminal, game.observation)
        terminal.print(describe_guess(letter, game.guess(letter)))
    terminal.print()
    print_lines(terminal, draw_board(game.observation, game.max_wrong, terminal.width))
    return YOU if announce(terminal, game, YOU) else None


def print_lines(terminal: Terminal, lines: list[str]) -> None:
    """Write lines that fit the width."""
    for line in lines:
        terminal.print(line)


def announce(terminal: Terminal, game: Game, player: str) -> bool:
    """Say how a game of one player ended; return whether it was won."""
    result, style = ("won", "bold green") if game.won else ("lost", "bold red")
    terminal.print(f"{player} {result}; the word is {game.secret}", style)
    return game.won
