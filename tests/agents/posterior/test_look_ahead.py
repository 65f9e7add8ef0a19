"""The look-ahead, compared with greedy play of every word, and its estimate for the other words."""

import numpy as np
import pytest

from hangman_lab.agents.posterior.look_ahead import MAX_WORDS
from hangman_lab.agents.posterior.posterior import Belief
from hangman_lab.envs.encoding import ALPHABET, decode
from hangman_lab.envs.hangman.observation import parse_observation, select
from tests.agents.games import families, letters_of, matching, random_states, won_greedily
from tests.agents.posterior.priors import posterior_of


def test_if_the_secret_is_a_known_word_it_is_the_win_rate_of_greedy_play(real_words):
    posterior = posterior_of(real_words, {}, share=1.0)
    states = random_states(real_words[::29], seed=3)
    belief = posterior.belief(states)._replace(prob_listed=np.ones(len(states["lives"])))
    values = posterior.win_probabilities(states, belief, max_lives=6)
    compared = 0
    for game, codes in enumerate(states["word"]):
        guessed = letters_of(states["guessed"][game])
        words = matching(real_words, decode(codes), guessed)
        if len(words) > MAX_WORDS:
            continue
        for index in np.flatnonzero(values[game] >= 0):
            letter, lives, won = ALPHABET[index], states["lives"][game], set()
            for places, family in families(words, letter).items():
                left = lives - (not any(places))
                won |= won_greedily(family, dict.fromkeys(words, 1), left, guessed + letter)
            expected = len(won) / len(words)
            assert values[game, index] == pytest.approx(expected, abs=1e-4)
            compared += 0 < expected < 1
    assert compared > 20


@pytest.mark.parametrize(("pattern", "share"), [("z__z", 0.0), ("_a__e", 0.7)])
def test_more_lives_and_likelier_letters_win_more(pattern, share):
    """No listed word matches the first pattern: the letter probabilities alone decide."""
    present = np.linspace(0.1, 0.6, 26)
    states = select(parse_observation(pattern), [0] * 3) | {"lives": np.arange(1, 4)}
    belief = Belief(np.tile(present, (3, 1)), np.full(3, share))
    # The likeliest letters alone are evaluated.
    won = posterior_of().win_probabilities(states, belief, max_lives=3)[:, -8:]
    assert (np.diff(won, axis=0) > 0).all()
    assert (won > 0).all()
    assert (won < 1).all()
    if share == 0:
        assert (np.diff(won, axis=1) > 0).all()
        # With the last life, a wrong letter loses.
        assert won[0] / present[-8:] == pytest.approx(won[0, 0] / present[-8])


@pytest.mark.parametrize("share", [0.6, 0.99])
def test_words_that_are_derived_win_less_than_known_ones(share):
    """Words that the posterior leaves out have at least a third of the probability."""
    words = ("cabbage", "baggage")
    known = posterior_of((*words, "bed"), {}, share=1.0)
    derived = posterior_of(("bed",), dict.fromkeys(words, 0.1), share=0.0)
    states = parse_observation("_a__a_e", max_wrong=2)
    # A letter that is certain would be guessed without look-ahead.
    belief = Belief(known.belief(states).present.clip(max=0.9), np.array([share]))
    more, less = (each.win_probabilities(states, belief, 2) for each in (known, derived))
    valued = belief.present > 0.1
    if share == 0.6:
        assert less[valued] == pytest.approx(more[valued])
    else:
        assert (less[valued] < more[valued]).all()
