import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.errors import InputError
from sweeps.space import Domain, corners, grid_points, random_points, read_space

SPACE = {
    "ppo.epochs": {"grid": [1, 2]},
    "reward.name": {"grid": ["sparse", "dense", "potential"]},
    "ppo.learning_rate": {"loguniform": [1e-4, 1e-2]},
    "ppo.num_envs": {"uniform": [16, 64]},
    "split.fractions": {"choice": [[0.9, 0.05, 0.05], [0.8, 0.1, 0.1]]},
}


def test_a_grid_has_every_combination():
    assert len(grid_points(read_space(SPACE))) == 6
    assert grid_points(()) == [{}]


def test_the_same_seed_draws_the_same_points():
    domains = read_space(SPACE)
    assert random_points(domains, 12, seed=3) == random_points(domains, 12, seed=3)
    assert random_points(domains, 12, seed=3) != random_points(domains, 12, seed=4)
    # A larger budget goes on where the smaller one ended.
    assert random_points(domains, 12, seed=3)[:6] == random_points(domains, 6, seed=3)


def test_each_combination_of_the_grid_is_drawn_equally_often():
    points = random_points(read_space(SPACE), 12, seed=0)
    combinations = [(point["ppo.epochs"], point["reward.name"]) for point in points]
    assert all(combinations.count(combination) == 2 for combination in combinations)


@given(
    low=st.floats(1e-6, 1e3),
    factor=st.floats(1.01, 1e4),
    seed=st.integers(0, 2**31),
    kind=st.sampled_from(["uniform", "loguniform"]),
)
def test_drawn_numbers_lie_between_the_ends(low, factor, seed, kind):
    domain = Domain("ppo.learning_rate", kind, (low, low * factor))
    value = domain.draw(np.random.default_rng(seed))
    assert low * (1 - 1e-9) <= value <= low * factor * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["uniform", "loguniform"])
def test_options_that_take_whole_numbers_get_them_both_ends_included(kind):
    (domain,) = read_space({"ppo.epochs": {kind: [1, 3]}})
    random = np.random.default_rng(0)
    drawn = [domain.draw(random) for _ in range(200)]
    assert set(drawn) == {1, 2, 3}
    assert all(type(value) is int for value in drawn)


def test_loguniform_draws_each_magnitude_equally_often():
    domain = Domain("ppo.learning_rate", "loguniform", (1e-4, 1e-2))
    random = np.random.default_rng(0)
    logarithms = [math.log10(domain.draw(random)) for _ in range(4000)]
    assert abs(np.mean(logarithms) + 3) < 0.05


def test_every_listed_value_is_in_a_corner():
    domains = read_space(SPACE)
    assert len(corners(domains)) == 2 * 3 * 2 * 2 * 2
    for most in (1, 4096):
        for domain in domains:
            assert all(
                any(corner[domain.key] == value for corner in corners(domains, most))
                for value in domain.values
            )


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ([1, 2], "one of grid, choice, uniform, loguniform"),
        ({"normal": [0, 1]}, "one of grid, choice, uniform, loguniform"),
        ({"grid": [1], "choice": [1]}, "one of grid, choice, uniform, loguniform"),
        ({"grid": []}, "grid has no value"),
        ({"choice": [1, 1]}, "the same value twice"),
        ({"uniform": [2, 1]}, "low below high"),
        ({"uniform": [1, 2, 3]}, "low below high"),
        ({"uniform": ["a", "b"]}, "low below high"),
        ({"uniform": [False, True]}, "low below high"),
        ({"loguniform": [0, 1]}, "above 0"),
        ({"uniform": [1.5, 2.5]}, "whole numbers"),
    ],
)
def test_what_is_no_domain_is_refused(described, said):
    with pytest.raises(InputError, match=r"^space\.ppo\.epochs: ") as refusal:
        read_space({"ppo.epochs": described})
    assert said in str(refusal.value)
