import numpy as np
import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import (
    check_observations,
    parse_observation,
    select,
)

NOT_LETTERS = "\u212a\u0130\u0131\u017f\uff41\uff21"


@pytest.mark.parametrize("pattern", ["a__le", "A _ _ L E", "a..le", "a--le", "a??le"])
def test_a_game_is_read_as_people_write_it(pattern):
    observation = parse_observation(pattern, "x, Y", max_wrong=8)
    assert observation["word"].tolist() == [[2, 1, 1, 13, 6]]
    assert np.flatnonzero(observation["guessed"][0]).tolist() == [0, 4, 11, 23, 24]
    assert observation["lives"].tolist() == [6]


@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda array: np.broadcast_to(array, array.shape)]
)
def test_observations_of_any_layout_become_that_of_compiled_code(change):
    game = select(parse_observation("a__le", "xy"), [0, 0])
    checked = check_observations({name: change(array) for name, array in game.items()})
    for name, array in game.items():
        assert checked[name].flags.carray
        assert checked[name].tolist() == array.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "empty"),
        (("a*b",), "neither a letter"),
        (("a_b", "1"), "not a letter"),
        # The Kelvin sign, dotted and dotless i, long s and fullwidth a are not letters a to z.
        *(((f"a_{sign}",), f"'{sign}' is neither a letter") for sign in NOT_LETTERS),
        *((("a_", sign), f"'{sign}' is not a letter a to z") for sign in NOT_LETTERS),
        (("a_b", "a"), "shown in the pattern"),
        (("a_b", "uvwxyz"), "lost"),
        ((None,), "pattern: None is not a str"),
        (("a_", 5), "wrong letters: 5 is not a str"),
        *((("a_b", "", limit), "max_wrong: .* is not an integer in 1") for limit in (2.5, "6", 0)),
    ],
)
def test_what_is_no_game_is_refused_in_one_line(arguments, message):
    with pytest.raises(InputError, match=rf".*{message}.*\Z"):
        parse_observation(*arguments)
