"""The turns of a game at the terminal: the board, the person's letter, what it did, the end."""

from __future__ import annotations

from envs.encoding import ALPHABET, letter_index
from envs.hangman.game import Game
from playing.drawing import draw_board
from playing.terminal import Terminal

YOU = "you"
NUM_HINTS = 5
_MAX_QUOTED = 20


def show_board(terminal: Terminal, game: Game) -> None:
    """Draw a game beneath an empty line."""
    terminal.print_lines(["", *draw_board(game, terminal.width)])


def ask_letter(terminal: Terminal, game: Game) -> int:
    """Ask until the answer is a letter that has not been guessed; return it, 0 to 25."""
    while True:
        text = terminal.ask("letter: ").lower()
        if len(text) != 1:
            quoted = repr(text[:_MAX_QUOTED]) if text else "nothing"
            terminal.complain(f"one letter a to z is expected, not {quoted}")
        elif text not in ALPHABET:
            terminal.complain(f"{text!r} is not a letter a to z")
        elif text in game.guesses:
            terminal.complain(f"{text!r} has been guessed already")
        else:
            return letter_index(text)


def describe_guess(letter: int, places: int) -> str:
    """Say what a guess uncovered."""
    if not places:
        return f"{ALPHABET[letter]} is not in the word"
    return f"{ALPHABET[letter]} is in the word, {places} time{'s' if places > 1 else ''}"


def show_end(terminal: Terminal, game: Game, player: str) -> str | None:
    """Show how a game of one player ended; return the player who won it, if so."""
    show_board(terminal, game)
    result, style = ("won", "bold green") if game.won else ("lost", "bold red")
    terminal.print(f"{player} {result}; the word is {game.secret}", style)
    return player if game.won else None
