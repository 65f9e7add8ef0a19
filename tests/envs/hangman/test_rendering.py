import numpy as np
import pytest

from envs.hangman.observation import parse_observation
from envs.hangman.rendering import (
    masked_word,
    parts_hung,
    render_rgb_array,
    render_text,
    verdict,
    wrong_letters,
)


def game(pattern, wrong="", max_wrong=6):
    batch = parse_observation(pattern, wrong, max_wrong)
    return {key: array[0] for key, array in batch.items()}


@pytest.mark.parametrize("max_wrong", range(1, 27))
def test_the_figure_grows_from_nothing_to_all_of_it(max_wrong):
    hung = [parts_hung(wrong, max_wrong) for wrong in range(max_wrong + 1)]
    assert hung[0] == 0
    assert hung[1] >= 1
    assert hung == sorted(hung)
    assert hung[-1] == 6
    if max_wrong > 1:
        assert hung[-2] < 6 or max_wrong > 6


def test_the_text_shows_word_wrong_letters_and_lives():
    text = render_text(game("h_ngm_n", "exb"), 6)
    assert "word   h _ n g m _ n" in text
    assert "wrong  b e x" in text
    assert "lives  3 of 6" in text
    assert "O" in text.splitlines()[2]
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert "wrong  -" in render_text(game("___"), 6)


def test_helpers_read_the_observation():
    assert masked_word(game("a_c")) == "a _ c"
    assert wrong_letters(game("a_c", "zyx")) == "xyz"
    assert verdict(game("a_c"), None) == ""
    assert verdict(game("a_c"), "abc") == "lost; the word was abc"
    assert verdict(game("abc"), "abc") == "won"


@pytest.mark.parametrize("pattern", ["_", "_" * 32, "abc_efgh", "z" * 32])
def test_any_word_is_drawn_inside_the_picture(pattern):
    picture = render_rgb_array(game(pattern), 6)
    assert picture.dtype == np.uint8
    assert picture.shape == (400, 640, 3)
    border = np.concatenate([picture[:, 0], picture[:, -1], picture[0], picture[-1]])
    assert (border == border[0]).all()


def test_pictures_differ_by_shown_letters_and_guesses():
    pictures = [
        render_rgb_array(game(*arguments), 6).tobytes()
        for arguments in [("___",), ("a__",), ("ab_",), ("ab_", "x"), ("ab_", "y"), ("ab_", "xy")]
    ]
    assert len(set(pictures)) == 6
