"""Drawings, as shown by a terminal of some width."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.game import Game
from hangman_lab.playing.modes import YOU, _show_boards, find_winner
from hangman_lab.playing.screen import draw_bars, draw_board

words = st.text(ALPHABET, min_size=1, max_size=32)
letters = st.lists(st.integers(0, 25), unique=True)


def game_after(word, guesses, max_wrong=6):
    game = Game(word, max_wrong)
    for letter in guesses:
        if not game.over:
            game.guess(ALPHABET.index(letter) if isinstance(letter, str) else letter)
    return game


def shown(width, draw, *arguments):
    """The lines that a terminal shows."""
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    draw(console, *arguments)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def board(console, game, note=""):
    console.print(draw_board(game, console.width, note))


@settings(max_examples=60)
@given(words, letters, st.integers(1, 26), st.integers(30, 100))
def test_a_board_shows_the_game_and_fits_the_width(word, guesses, max_wrong, width):
    game = game_after(word, guesses, max_wrong)
    lines = shown(width, board, game, "won")
    assert max(map(len, lines)) <= width
    # What is right of the gallows, without the spaces between places and at the ends of lines.
    text = "".join("".join(line[12:] for line in lines).split())
    pattern = "".join(letter if letter in game.guesses else "_" for letter in word)
    misses = "".join(sorted(set(game.guesses) - set(word)))
    assert text == f"word{pattern}wrong{misses or '-'}lives{game.lives}of{max_wrong}won"


def test_a_word_that_is_too_wide_has_no_spaces():
    assert shown(82, board, Game("a" * 32, 6))[1].endswith("word   " + " ".join("_" * 32))
    assert shown(80, board, Game("a" * 32, 6))[1].endswith("word   " + "_" * 32)


@pytest.mark.parametrize(("word", "beside"), [("a" * 20, True), ("a" * 21, False)])
def test_two_boards_are_side_by_side_where_they_fit(word, beside):
    lines = shown(80, _show_boards, game_after(word, "a"), Game(word, 6), "ngram", True)
    assert max(map(len, lines)) <= 80
    assert (lines[1].split() == [YOU, "ngram"]) == beside
    assert [line.startswith("ngram") for line in lines].count(True) == (not beside)
    assert sum(line.count("+---+") for line in lines) == 2
    assert any("won" in line for line in lines)


@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_lengths_of_bars_are_proportional_to_probabilities(ascii_only):
    block = "#" if ascii_only else "█"
    lines = draw_bars([(4, 1.0), (0, 0.5), (25, 0.001)], 0, 80, ascii_only)
    assert lines == ["  e  100%  " + block * 40, "> a   50%  " + block * 20, "  z    0%"]
    assert draw_bars([(4, 1.0)], 4, 20, ascii_only) == ["> e  100%  " + block * 9]


@pytest.mark.parametrize(
    ("yours", "theirs", "winner"),
    [
        ("abc", "xy", YOU),
        ("xy", "cab", "ngram"),
        ("abc", "xabc", YOU),
        ("axbc", "cab", "ngram"),
        ("abc", "cba", None),
        ("xy", "abzw", None),
    ],
)
def test_the_winner_has_fewer_wrong_guesses(yours, theirs, winner):
    assert find_winner(game_after("cab", yours, 2), game_after("cab", theirs, 2), "ngram") == winner
