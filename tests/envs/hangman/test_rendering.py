from typing import Any

import numpy as np
import pytest

from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.rendering import parts_hung
from hangman_lab.envs.rendering import BAD


def drawn(mode, word, guesses="", **options) -> Any:
    """Draw a game of ``word`` after these guesses."""
    env = HangmanEnv([word], render_mode=mode, **options)
    env.reset(seed=0)
    for letter in guesses:
        env.step(letter_index(letter))
    return env.render()


@pytest.mark.parametrize("max_wrong", range(1, 27))
def test_the_figure_grows_from_nothing_to_all_of_it(max_wrong):
    hung = [parts_hung(wrong, max_wrong) for wrong in range(max_wrong + 1)]
    assert hung[0] == 0
    assert hung[1] >= 1
    assert hung == sorted(hung)
    assert hung[-1] == 6


def test_the_text_shows_word_wrong_letters_and_lives():
    text = drawn("ansi", "hangman", "hexngmb")
    assert "word   h _ n g m _ n" in text
    assert "wrong  b e x" in text
    assert "lives  3 of 6" in text
    assert "O" in text.splitlines()[2]
    assert "wrong  -" in drawn("ansi", "hangman")
    # The secret is shown at the end only.
    assert "noon" not in drawn("ansi", "noon", "a", max_wrong=2)
    assert "lost; the word was noon" in drawn("ansi", "noon", "ab", max_wrong=2)
    assert "won" in drawn("ansi", "noon", "no")


@pytest.mark.parametrize(
    ("word", "guesses"), [("a", ""), ("a" * 32, ""), ("abcdefgh", "abcefgh"), ("z" * 32, "z")]
)
def test_any_word_is_drawn_inside_the_picture(word, guesses):
    picture = drawn("rgb_array", word, guesses)
    assert picture.dtype == np.uint8
    assert picture.shape == (400, 640, 3)
    border = np.concatenate([picture[:, 0], picture[:, -1], picture[0], picture[-1]])
    assert (border == border[0]).all()


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_each_guess_changes_the_drawing_and_each_wrong_guess_the_figure(mode):
    drawings = [drawn(mode, "noon", "nabcdef"[:number]) for number in range(8)]
    if mode == "rgb_array":
        # The part of the picture where the gallows are, and the rest.
        figures = [drawing[:310, :240].tobytes() for drawing in drawings]
        rest = [drawing[:, 240:].tobytes() for drawing in drawings]
        assert len(set(rest)) == 8
        # Wrong letters are red, as the figure is.
        red = [(drawing == BAD).all(axis=2).sum() for drawing in drawings]
        assert red[:2] == [0, 0]
        assert (np.diff(red[1:]) > 0).all()
    else:
        figures = ["\n".join(line[:11] for line in text.splitlines()) for text in drawings]
    assert figures[0] == figures[1]
    assert len(set(figures)) == 7
