"""A person guesses a word, alone or with an agent's hints."""

from __future__ import annotations

from envs.hangman.game import Game
from playing.advice import Adviser
from playing.terminal import Terminal
from playing.turns import NUM_HINTS, YOU, ask_letter, describe_guess, show_board, show_end


def play_solo(terminal: Terminal, game: Game, adviser: Adviser | None) -> str | None:
    """Play one game, shown an adviser's likeliest letters; return ``YOU`` if it is won."""
    while not game.over:
        show_board(terminal, game)
        if adviser is not None:
            adviser.show(terminal, game.observations, NUM_HINTS)
        letter = ask_letter(terminal, game)
        terminal.print(describe_guess(letter, game.guess(letter)))
    return show_end(terminal, game, YOU)
