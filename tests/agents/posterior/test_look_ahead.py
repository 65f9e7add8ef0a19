"""The look-ahead, compared with a recursive simulation of games."""

import numpy as np
import pytest

from hangman_lab.agents.posterior.look_ahead import (
    MAX_WORDS,
    rest_win_rates,
    simulated_share,
    win_probabilities,
)
from hangman_lab.agents.posterior.prior import listed_priors
from hangman_lab.envs.compiled import in_threads
from tests.agents.games import random_states
from tests.agents.posterior.priors import posterior_of


@pytest.fixture(scope="module")
def prior(real_words):
    """Every second word is known, the rest are candidates of several probabilities."""
    known, candidates = real_words[::2], real_words[1::2]
    chances = 2.0 ** -(11 + np.arange(len(candidates)) % 8)
    return posterior_of(known, dict(zip(candidates, chances, strict=True))).prior


@pytest.fixture(scope="module")
def states(real_words):
    return random_states(real_words[::29], seed=3)[0]


def values_of(prior, states, letters, share, present):
    values = np.full(letters.shape, np.nan)
    in_threads(
        win_probabilities,
        (states["word"], states["guessed"], states["lives"]),
        present,
        np.full(len(letters), share),
        letters,
        prior.listed,
        values,
    )
    return values


def fitting(prior, word, guessed, only_candidates=False):
    """The matching listed words as tuples of the letters behind the blanks, with their shares."""
    length = int((word != 0).sum())
    found, total = [], 0.0
    words = prior.words
    masses = listed_priors(prior.listed, np.arange(len(words.codes)))
    for number, (codes, mass) in enumerate(zip(words.codes, masses, strict=True)):
        if words.lengths[number] != length or not mass:
            continue
        hidden = codes[:length][word[:length] == 1]
        shown = word[:length] != 1
        if (codes[:length][shown] == word[:length][shown]).all() and not guessed[hidden - 2].any():
            total += mass
            if not (only_candidates and prior.listed.is_known[number]):
                found.append((tuple(map(int, hidden - 2)), mass))
    return [(hidden, share / total) for hidden, share in found]


def chance_of_winning(words, rest, letter, lives, guessed, game):
    """The probability of winning with a letter and then greedily; words are (letters, share).

    ``rest`` is the mass of all other words; ``game`` has their letter probabilities, their win
    rates by lives left, and the number of blanks.
    """
    other_letters, values, num_blanks = game
    scale = sum(other not in guessed for other in words[0][0]) / num_blanks
    hit = rest * scale * other_letters[letter]
    looks = {}
    for hidden, share in words:
        look = tuple(other == letter for other in hidden)
        looks.setdefault(look, []).append((hidden, share))
    with_letter = sum(share for hidden, share in words if letter in hidden)
    elsewhere = 0.3 * hit if with_letter else hit
    won = elsewhere * values[lives]
    if not any(not any(look) for look in looks):
        won += (rest - hit) * values[lives - 1]
    known = guessed | {letter}
    for look, group in looks.items():
        mass = sum(share for _, share in group)
        left, part = (
            (lives, (hit - elsewhere) * mass / with_letter)
            if any(look)
            else (lives - 1, rest - hit)
        )
        if left == 0:
            continue
        presence = np.zeros(26)
        for hidden, share in group:
            for other in set(hidden) - known:
                presence[other] += share
        if not presence.any():
            won += mass + part
        elif mass < 0.05 * part:
            won += (mass + part) * values[left]
        elif len(group) == 1 and part < 0.05 * mass:
            won += mass + part * values[left]
        else:
            blanks = sum(other not in known for other in group[0][0])
            for other in set(range(26)) - known:
                presence[other] += part * blanks / num_blanks * other_letters[other]
            won += chance_of_winning(group, part, int(presence.argmax()), left, known, game)
    return won


@pytest.mark.parametrize("share", [1.0, 0.7, 0.2])
def test_it_is_the_win_rate_of_greedy_play(prior, states, share):
    random = np.random.default_rng(0)
    num_games = len(states["lives"])
    unguessed = states["guessed"] == 0
    letters = np.argsort(np.where(unguessed, -random.random(unguessed.shape), 1), axis=1)[:, :6]
    letters[:, 5] = -1
    other_letters = np.where(unguessed, random.random((num_games, 26)) ** 2, 0.0)
    present = np.zeros((num_games, 26))
    played, foreseen = {}, {}
    for game in range(num_games):
        state = states["word"][game], states["guessed"][game]
        words = fitting(prior, *state)
        candidates = sum(part for _, part in fitting(prior, *state, only_candidates=True))
        kept, foreseen[game] = simulated_share(share, candidates)
        words = [(hidden, kept * part) for hidden, part in words]
        for hidden, part in words:
            present[game, list(set(hidden))] += part
        present[game] += (1 - kept) * other_letters[game]
        played[game] = sorted(words, key=lambda entry: -entry[1])[:MAX_WORDS]
    values = values_of(prior, states, letters, share, present)
    compared = 0
    for game, words in played.items():
        if not words:
            continue
        assert np.isnan(values[game, 5])
        rest = 1 - sum(part for _, part in words)
        others = present[game].copy()
        for hidden, part in words:
            others[list(set(hidden))] -= part
        others = (others / max(rest, 1e-9)).clip(0, 1)
        lives = int(states["lives"][game])
        about = others, rest_win_rates(others, foreseen[game], lives), len(words[0][0])
        for number, letter in enumerate(letters[game, :5]):
            expected = chance_of_winning(words, max(rest, 0), int(letter), lives, set(), about)
            assert values[game, number] == pytest.approx(expected, abs=1e-4)
            compared += 0 < expected < 1
    assert compared > 20


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
