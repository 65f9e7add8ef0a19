from typing import cast

import numpy as np
import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import (
    Observations,
    parse_observation,
    unique_observations,
)


def test_games_that_look_alike_are_one_whatever_their_lives():
    games = [("a_c", "xy"), ("___", ""), ("a_c", "xy"), ("a_c", "xz"), ("___", "")]
    parsed = [parse_observation(pattern, wrong) for pattern, wrong in games]
    arrays = {key: np.concatenate([game[key] for game in parsed]) for key in parsed[0]}
    batch = cast(Observations, arrays)
    batch["lives"][2] = 1
    part, number = unique_observations(batch)
    assert len(part["lives"]) == 3
    for key in ("word", "guessed"):
        assert (part[key][number] == batch[key]).all()


@pytest.mark.parametrize("pattern", ["a__le", "A _ _ L E", "a..le", "a--le", "a??le"])
def test_a_game_is_read_as_people_write_it(pattern):
    observation = parse_observation(pattern, "x, Y", max_wrong=8)
    assert observation["word"].tolist() == [[2, 1, 1, 13, 6]]
    assert np.flatnonzero(observation["guessed"][0]).tolist() == [0, 4, 11, 23, 24]
    assert observation["lives"].tolist() == [6]


@pytest.mark.parametrize(
    ("pattern", "wrong", "message"),
    [
        ("", "", "empty"),
        ("a*b", "", "neither a letter"),
        ("a_b", "1", "not a letter"),
        ("a_b", "a", "shown in the pattern"),
        ("a_b", "uvwxyz", "lost"),
    ],
)
def test_what_is_no_game_is_refused_in_one_line(pattern, wrong, message):
    with pytest.raises(InputError, match=rf".*{message}.*\Z"):
        parse_observation(pattern, wrong)


def test_a_game_as_text_is_text():
    for arguments, name in (((None,), "pattern"), (("a_", 5), "wrong letters")):
        with pytest.raises(InputError, match=f"{name}: (None|5) is not a str"):
            parse_observation(*arguments)


@pytest.mark.parametrize("max_wrong", [2.5, "6", 0])
def test_the_limit_is_a_positive_integer(max_wrong):
    with pytest.raises(InputError, match=r"max_wrong: .* is not an integer in 1"):
        parse_observation("a_b", max_wrong=max_wrong)
