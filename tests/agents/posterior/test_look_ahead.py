"""The look-ahead, compared with greedy play of every word, and its estimate for the other words."""

import numpy as np
import pytest

from hangman_lab.agents.posterior.look_ahead import MAX_WORDS, win_probabilities
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
    states = random_states(real_words[::29], seed=3)
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


@pytest.mark.parametrize(("pattern", "share"), [("z__z", 0.0), ("_a__e", 0.7)])
def test_more_lives_and_likelier_letters_win_more(pattern, share):
    """No listed word matches the first pattern: the letter probabilities alone decide."""
    posterior, present = posterior_of(), np.linspace(0.1, 0.6, 26)[None]
    states = [parse_observation(pattern, max_wrong=lives) for lives in (1, 2, 3)]
    won = np.concatenate([values_of(posterior, state, share, present) for state in states])
    assert (np.diff(won, axis=0) > 0).all()
    assert (won > 0).all()
    assert (won < 1).all()
    if share == 0:
        assert (np.diff(won, axis=1) > 0).all()
        # With the last life, a wrong letter loses.
        assert won[0] / present[0] == pytest.approx(won[0, 0] / present[0, 0])


@pytest.mark.parametrize("share", [0.6, 0.99])
def test_words_that_are_derived_win_less_than_known_ones(share):
    """Words that the posterior leaves out have at least a third of the probability."""
    words = ("cabbage", "baggage")
    known = posterior_of((*words, "bed"), {}, share=1.0)
    derived = posterior_of(("bed",), dict.fromkeys(words, 0.1), share=0.0)
    states = parse_observation("_a__a_e", max_wrong=2)
    present = known.belief(states).present
    more, less = (values_of(posterior, states, share, present) for posterior in (known, derived))
    valued = present > 0.1
    if share == 0.6:
        assert less[valued] == pytest.approx(more[valued])
    else:
        assert (less[valued] < more[valued]).all()
