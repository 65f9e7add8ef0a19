"""The look-ahead against games that are played out one by one."""

import itertools

import numpy as np
import pytest

from agents.posterior.look_ahead import win_probabilities
from agents.threads import in_threads
from tests.agents.games import random_states
from tests.agents.posterior.priors import posterior_of

NUM_WORDS = 60


@pytest.fixture(scope="module")
def prior(real_words):
    """Every other word is known, the others are candidates of several probabilities."""
    known, others = real_words[::2], real_words[1::2]
    chances = 2.0 ** -(11 + np.arange(len(others)) % 8)
    return posterior_of(known, dict(zip(others, chances, strict=True))).prior


@pytest.fixture(scope="module")
def states(real_words):
    return random_states(real_words[::29], seed=3)[0]


def values_of(prior, states, letters, lives=None):
    values = np.zeros(letters.shape)
    lives = states["lives"] if lives is None else lives
    in_threads(
        win_probabilities,
        states["word"],
        states["guessed"],
        lives,
        letters,
        prior.listed.words.codes,
        prior.tables.listed,
        NUM_WORDS,
        values,
    )
    return values


def likeliest(prior, word, guessed):
    """The likeliest listed words that fit, each as the letters behind the blanks, with shares."""
    length = int((word != 0).sum())
    found = []
    for number, codes in enumerate(prior.listed.words.codes):
        if prior.listed.words.lengths[number] != length or not prior.tables.listed.own[number]:
            continue
        hidden = codes[:length][word[:length] == 1]
        shown = word[:length] != 1
        if (codes[:length][shown] == word[:length][shown]).all() and not guessed[hidden - 2].any():
            found.append((tuple(map(int, hidden - 2)), prior.tables.listed.own[number]))
    found.sort(key=lambda entry: -entry[1])
    return found


def chance_of_winning(words, lives, guessed, letter):
    """Guess the letter, and then whichever is in most of what fits; words are (letters, share)."""
    looks = {}
    for hidden, share in words:
        look = tuple(other == letter for other in hidden)
        looks.setdefault(look, []).append((hidden, share))
    won = 0.0
    for look, group in looks.items():
        left = lives if any(look) else lives - 1
        if left == 0:
            continue
        known = guessed | {letter}
        presence = np.zeros(26)
        for hidden, share in group:
            for other in set(hidden) - known:
                presence[other] += share
        if presence.any() and len(group) > 1:
            won += chance_of_winning(group, left, known, int(presence.argmax()))
        else:
            won += sum(share for _, share in group)
    return won


def test_it_is_the_share_of_words_that_greedy_play_wins(prior, states):
    random = np.random.default_rng(0)
    scores = np.where(states["guessed"] != 0, -1, random.random((len(states["lives"]), 26)))
    letters = np.argsort(-scores, axis=1)[:, :6]
    letters[:, 5] = -1
    values = values_of(prior, states, letters)
    assert (values[:, 5] == 0).all()
    compared = 0
    for game in range(len(letters)):
        words = likeliest(prior, states["word"][game], states["guessed"][game])
        if not 0 < len(words) <= NUM_WORDS:
            continue
        total = sum(share for _, share in words)
        words = [(hidden, share / total) for hidden, share in words]
        for number, letter in enumerate(letters[game, :5]):
            lives = int(states["lives"][game])
            expected = chance_of_winning(words, lives, set(), int(letter))
            assert values[game, number] == pytest.approx(expected, abs=1e-9)
            compared += 0 < expected < 1
    assert compared > 20


def test_of_many_words_only_the_likeliest_are_played(prior, states):
    """A game that more words fit than are played: lesser words may be left out unseen."""
    for game in range(len(states["lives"])):
        words = likeliest(prior, states["word"][game], states["guessed"][game])
        if len(words) > 2 * NUM_WORDS:
            break
    least = words[NUM_WORDS - 1][1]
    letters = np.argsort(states["guessed"], axis=1, kind="stable")[:, :4]
    own = np.where(prior.tables.listed.own < least, 0.0, prior.tables.listed.own)
    one = {name: array[game : game + 1] for name, array in states.items()}
    expected = values_of(prior, one, letters[game : game + 1])
    fewer = prior.with_known(prior.known)
    fewer.tables = prior.tables._replace(listed=prior.tables.listed._replace(own=own))
    assert values_of(fewer, one, letters[game : game + 1]) == pytest.approx(expected, abs=1e-12)


def test_more_lives_never_hurt(prior, states):
    letters = np.argsort(states["guessed"], axis=1, kind="stable")[:, :4]
    values = [
        values_of(prior, states, letters, np.full_like(states["lives"], lives))
        for lives in (1, 2, 4, 26)
    ]
    for fewer, more in itertools.pairwise(values):
        assert (more >= fewer - 1e-12).all()
    fitting = values[-1].any(axis=1)
    assert fitting.any()
    np.testing.assert_allclose(values[-1][fitting], 1)
