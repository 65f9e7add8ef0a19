"""A person and an agent guess the same word side by side.

They guess in turns, and neither sees the other's letters, so that nobody can copy, until the
person's game is over. Whoever uncovers the word wins; if both do, the one with fewer wrong
guesses.
"""

from __future__ import annotations

from envs.hangman.game import Game
from playing.advice import Adviser
from playing.drawing import draw_board, draw_side_by_side
from playing.terminal import Terminal
from playing.turns import YOU, ask_letter, describe_guess


def play_versus(terminal: Terminal, game: Game, adviser: Adviser, number: int) -> str | None:
    """Play one word; return ``YOU``, the agent's name, or None for a draw.

    Parameters
    ----------
    terminal : Terminal
    game : Game
        The person's.
    adviser : Adviser
        The opponent.
    number : int
        The game's, for agents that draw at random.
    """
    opponent = Game(game.secret, game.max_wrong)
    while not game.over:
        _show(terminal, game, opponent, adviser.name, hide_letters=True)
        letter = ask_letter(terminal, game)
        terminal.print(describe_guess(letter, game.guess(letter)))
        if not opponent.over:
            places = opponent.guess(adviser.choose(opponent.observations, number))
            terminal.print(f"{adviser.name}'s letter is {'' if places else 'not '}in the word")
    while not opponent.over:
        opponent.guess(adviser.choose(opponent.observations, number))
    _show(terminal, game, opponent, adviser.name, hide_letters=False)
    terminal.print(f"{adviser.name} guessed {' '.join(opponent.guesses)}")
    winner = find_winner(game, opponent, adviser.name)
    result = {YOU: "you win", None: "a draw"}.get(winner, f"{adviser.name} wins")
    terminal.print(
        f"{result}; the word is {game.secret}", "bold green" if winner == YOU else "bold"
    )
    return winner


def find_winner(game: Game, opponent: Game, name: str) -> str | None:
    """Return ``YOU`` or ``name``, whoever did better in games that are over; None if equal."""
    yours, theirs = (game.won, game.lives), (opponent.won, opponent.lives)
    if yours == theirs:
        return None
    return YOU if yours > theirs else name


def _show(terminal: Terminal, game: Game, opponent: Game, name: str, hide_letters: bool) -> None:
    # Half of the width where that is enough for the shorter form of a board.
    column = (terminal.width - 2) // 2
    yours = [YOU, *draw_board(game, column, _note(game))]
    theirs = [name, *draw_board(opponent, column, _note(opponent), hide_letters)]
    terminal.print_lines(["", *draw_side_by_side(yours, theirs, terminal.width)])


def _note(game: Game) -> str:
    if not game.over:
        return ""
    return "won" if game.won else "lost"
