"""An agent plays, and a person looks on."""

from __future__ import annotations

import time

from envs.encoding import ALPHABET
from playing.advice import Adviser
from playing.drawing import draw_board
from playing.game import Game, describe_guess
from playing.solo import NUM_HINTS, announce, print_lines
from playing.terminal import Terminal


def watch(
    terminal: Terminal, game: Game, adviser: Adviser, speed: float, number: int
) -> str | None:
    """Show one game; return the agent's name if it won.

    Parameters
    ----------
    terminal : Terminal
    game : Game
    adviser : Adviser
        It plays; its likeliest letters are shown each turn if it can tell them.
    speed : float
        Letters a second; at 0, Enter shows the next letter.
    number : int
        The game's, for agents that draw at random.
    """
    while not game.over:
        terminal.print()
        print_lines(terminal, draw_board(game.observation, game.max_wrong, terminal.width))
        adviser.show(terminal, game.observations, NUM_HINTS, number)
        if speed > 0:
            time.sleep(1 / speed)
        else:
            terminal.ask("Enter for the next letter ")
        letter = adviser.choose(game.observations, number)
        outcome = describe_guess(letter, game.guess(letter))
        terminal.print(f"{adviser.name} guesses {ALPHABET[letter]}: {outcome}")
    terminal.print()
    print_lines(terminal, draw_board(game.observation, game.max_wrong, terminal.width))
    return adviser.name if announce(terminal, game, adviser.name) else None
