import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.encoding import ALPHABET
from envs.hangman.game import Game
from playing.drawing import draw_bars, draw_board, draw_side_by_side

words = st.text(ALPHABET, min_size=1, max_size=32)
letters = st.lists(st.integers(0, 25), unique=True)


def game_after(word, guesses, max_wrong=6):
    game = Game(word, max_wrong)
    for letter in guesses:
        if not game.over:
            game.guess(letter)
    return game


@settings(max_examples=60)
@given(words, letters, st.integers(1, 26), st.integers(20, 100), st.booleans())
def test_a_board_tells_the_game_and_fits_the_width(word, guesses, max_wrong, width, hide):
    game = game_after(word, guesses, max_wrong)
    lines = draw_board(game, width, "won", hide_letters=hide)
    assert max(map(len, lines)) <= width
    assert any(line.endswith("won") for line in lines)
    lives = game.lives
    assert any(f"lives  {lives} of {max_wrong}" in line for line in lines)
    # What stands right of the gallows or beneath it, without the labels of the rows.
    text = " ".join(line if number > 6 else line[10:] for number, line in enumerate(lines))
    text = "".join(text.split())
    if not hide:
        pattern = "".join(letter if letter in game.guesses else "_" for letter in word)
        assert f"word{pattern}" in text
        misses = "".join(sorted(set(game.guesses) - set(word)))
        assert f"wrong{misses or '-'}lives" in text


@settings(max_examples=60)
@given(words, letters)
def test_a_hidden_board_shows_how_far_a_game_is_and_no_letter(word, guesses):
    game = game_after(word, guesses)
    lines = draw_board(game, 80, hide_letters=True)
    shown = sum(letter in game.guesses for letter in word)
    assert lines[1].endswith(f"word   {shown} of {len(word)} letters")
    assert lines[2].endswith(f"wrong  {6 - game.lives}")


def test_a_long_word_stands_beneath_the_gallows():
    lines = draw_board(Game("a" * 32, 6), 80)
    assert lines[6] == "=========+"
    assert lines[7] == "word   " + " ".join("_" * 32)
    assert lines[2].endswith("wrong  -")


def test_the_spaces_of_a_word_go_where_it_would_be_longer_than_the_width():
    assert draw_board(Game("a" * 32, 6), 60)[1].endswith("word   " + "_" * 32)
    assert draw_board(Game("a" * 32, 6), 39)[7] == "word   " + "_" * 32


@settings(max_examples=60)
@given(words, letters, st.integers(20, 120))
def test_two_boards_fit_the_width_side_by_side_or_one_beneath_the_other(word, guesses, width):
    column = (width - 2) // 2
    left = draw_board(game_after(word, guesses), max(column, 20))
    right = draw_board(Game(word, 6), max(column, 20))
    joined = draw_side_by_side(left, right, width)
    assert max(map(len, joined)) <= width
    if max(map(len, left + right)) <= column:
        assert len(joined) == max(len(left), len(right))
        for line, part in zip(joined, right, strict=False):
            assert line[column + 2 :] == part
    else:
        assert joined == [*left, "", *right]


@pytest.mark.parametrize("ascii_only", [False, True])
def test_bars_are_as_long_as_probabilities_are_high(ascii_only):
    block = "#" if ascii_only else "█"
    lines = draw_bars([(4, 1.0), (0, 0.5), (25, 0.001)], 0, 80, ascii_only)
    assert lines == [
        "  e  100%  " + block * 40,
        "> a   50%  " + block * 20,
        "  z    0%",
    ]
    narrow = draw_bars([(4, 1.0)], 4, 20, ascii_only)
    assert narrow == ["> e  100%  " + block * 9]
