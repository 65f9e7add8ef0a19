"""An agent plays, and a person looks on."""

from __future__ import annotations

import time

from envs.encoding import ALPHABET
from envs.hangman.game import Game
from playing.advice import Adviser
from playing.terminal import Terminal
from playing.turns import NUM_HINTS, describe_guess, show_board, show_end


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
        Letters per second; at 0, Enter shows the next letter.
    number : int
        The game's, for agents that draw at random.
    """
    while not game.over:
        show_board(terminal, game)
        adviser.show(terminal, game.observations, NUM_HINTS, number)
        if speed > 0:
            time.sleep(1 / speed)
        else:
            terminal.ask("Enter for the next letter ")
        letter = adviser.choose(game.observations, number)
        outcome = describe_guess(letter, game.guess(letter))
        terminal.print(f"{adviser.name} guesses {ALPHABET[letter]}: {outcome}")
    return show_end(terminal, game, adviser.name)
