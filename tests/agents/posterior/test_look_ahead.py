"""The look-ahead against games that are played out one by one."""

import itertools

import numpy as np
import pytest

from agents.posterior.lattice import likeliest_words, pair_table
from agents.posterior.listed_words import list_words
from agents.posterior.look_ahead import win_probabilities
from agents.smoothed_ngrams import SmoothedNgrams
from tests.agents.games import random_states

NUM_WORDS = 60


@pytest.fixture(scope="module")
def model(real_words):
    return SmoothedNgrams(real_words, 5)


def arguments(model, excluded=()):
    return (
        model.probabilities,
        model.next_state,
        model.start,
        pair_table(model.of_order(3)),
        list_words(excluded, np.zeros(len(excluded)), model),
    )


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


@pytest.mark.parametrize(("tilted", "excluding"), [(False, False), (True, False), (True, True)])
def test_it_is_the_share_of_words_that_greedy_play_wins(model, real_words, tilted, excluding):
    model_arguments = arguments(model, real_words if excluding else ())
    states, _ = random_states(real_words[::29], seed=3)
    random = np.random.default_rng(0)
    tilt = random.normal(size=(len(states["lives"]), 26)) if tilted else np.zeros((1, 26))
    tilt = np.broadcast_to(tilt, (len(states["lives"]), 26)).copy()
    scores = np.where(states["guessed"] != 0, -1, random.random((len(tilt), 26)))
    letters = np.argsort(-scores, axis=1)[:, :6]
    letters[:, 5] = -1
    values = win_probabilities(
        states["word"],
        states["guessed"],
        states["lives"],
        letters,
        tilt,
        *model_arguments,
        NUM_WORDS,
    )
    assert values.shape == letters.shape
    assert (values[:, 5] == 0).all()
    compared = 0
    for game in range(0, len(letters), 5):
        blanks = int((states["word"][game] == 1).sum())
        hidden, shares = likeliest_words(
            states["word"][game], states["guessed"][game], *model_arguments, NUM_WORDS
        )
        words = [tuple(map(int, row[:blanks])) for row in hidden]
        weights = shares * [np.exp(sum(tilt[game, letter] for letter in set(w))) for w in words]
        words = list(zip(words, weights / weights.sum(), strict=True))
        for number, letter in enumerate(letters[game, :5]):
            lives = int(states["lives"][game])
            expected = chance_of_winning(words, lives, set(), int(letter))
            assert values[game, number] == pytest.approx(expected, abs=1e-9)
            compared += 0 < expected < 1
    assert compared > 20


def test_more_lives_never_hurt(model, real_words):
    states, _ = random_states(real_words[::31], seed=5)
    letters = np.argsort(states["guessed"], axis=1, kind="stable")[:, :4]
    tilt = np.zeros((len(letters), 26))
    values = [
        win_probabilities(
            states["word"],
            states["guessed"],
            np.full_like(states["lives"], lives),
            letters,
            tilt,
            *arguments(model),
            NUM_WORDS,
        )
        for lives in (1, 2, 4, 26)
    ]
    for fewer, more in itertools.pairwise(values):
        assert (more >= fewer - 1e-12).all()
    np.testing.assert_allclose(values[-1], 1)
