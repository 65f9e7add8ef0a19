"""The look-ahead, compared with greedy play of every word, and its estimate for the other words."""

import numpy as np
import pytest

from hangman_lab.agents.posterior.look_ahead import (
    MAX_WORDS,
    rest_win_rates,
    simulated_share,
    win_probabilities,
)
from hangman_lab.envs.encoding import ALPHABET, decode
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.numba_cache import in_threads
from tests.agents.games import families, letters_of, matching, random_states, won_greedily
from tests.agents.posterior.priors import posterior_of


def values_of(posterior, states, share, present):
    """The probability of winning with each letter, for states with one share of listed words."""
    values = np.full(present.shape, np.nan)
    in_threads(
        win_probabilities,
        (states["word"], states["guessed"], states["lives"]),
        present,
        np.full(len(present), share),
        np.tile(np.arange(26), (len(present), 1)),
        posterior.prior.listed,
        values,
    )
    return values


def test_if_the_secret_is_a_known_word_it_is_the_win_rate_of_greedy_play(real_words):
    posterior = posterior_of(real_words, {}, share=1.0)
    states = random_states(real_words[::29], seed=3)[0]
    present = posterior.belief(states).present
    values = values_of(posterior, states, 1.0, present)
    compared = 0
    for game, codes in enumerate(states["word"]):
        guessed = letters_of(states["guessed"][game])
        words = matching(real_words, decode(codes), guessed)
        if len(words) > MAX_WORDS:
            continue
        for letter in present[game].argsort()[-5:]:
            letter, lives, won = ALPHABET[letter], states["lives"][game], set()
            for places, family in families(words, letter).items():
                left = lives - (not any(places))
                won |= won_greedily(family, dict.fromkeys(words, 1), left, guessed + letter)
            expected = len(won) / len(words)
            assert values[game, ALPHABET.index(letter)] == pytest.approx(expected, abs=1e-4)
            compared += 0 < expected < 1
    assert compared > 20


@pytest.mark.parametrize("lives", [1, 2, 3])
def test_where_no_listed_word_matches_a_win_is_estimated_from_the_letter_probabilities(lives):
    states = parse_observation("z__z", max_wrong=lives)
    present = np.linspace(0.1, 0.6, 26)[None]
    wins = rest_win_rates(present[0], 1.0, lives)
    expected = present * wins[lives] + (1 - present) * wins[lives - 1]
    assert values_of(posterior_of(), states, 0.0, present) == pytest.approx(expected)


def test_more_lives_win_more():
    posterior = posterior_of()
    states = parse_observation("_a__e", max_wrong=1)
    present = posterior.belief(states).present
    won = [values_of(posterior, states | {"lives": np.array([n])}, 0.7, present) for n in (1, 2, 3)]
    assert (np.diff(won, axis=0) > 0).all()


def test_unlisted_words_have_at_least_half_the_mass_of_the_candidates_and_are_won_less_often():
    assert simulated_share(0.99, 1.0) == pytest.approx((2 / 3, 0.01 / (1 / 3)))
    assert simulated_share(0.6, 1.0) == (0.6, 1.0)
    assert simulated_share(0.99, 0.0) == (0.99, 1.0)
    assert simulated_share(1.0, 0.0) == (1.0, 1.0)
    others = np.full(26, 0.9)
    sure, doubtful = rest_win_rates(others, 1.0, 3), rest_win_rates(others, 0.1, 3)
    assert (sure[1:] > doubtful[1:]).all()
    assert sure[0] == doubtful[0] == 0
    assert (np.diff(doubtful) > 0).all()
