"""The n-gram guesser against NLTK and a plain transcription of Kushwaha's report."""

from __future__ import annotations

import numpy as np
import pytest
from nltk.lm import MLE
from nltk.util import everygrams, flatten

from agents.dictionary import DictionaryAgent
from agents.ngram import NgramAgent, NgramModel
from envs.encoding import decode
from envs.errors import InputError
from envs.hangman.observation import parse_observation

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def sample(real_words):
    return real_words[::8]


@pytest.fixture(scope="module")
def referee(sample):
    model = MLE(5)
    model.fit(
        (list(everygrams(word, max_len=5)) for word in sample),
        flatten([list(word) for word in sample]),
    )
    return model


def test_tables_are_those_of_nltk(sample, referee):
    model = NgramModel(sample)
    contexts = {word[start : start + n] for word in sample for n in range(5) for start in range(9)}
    contexts |= {"qqq", "zx", "jjjj"}
    compared = 0
    for context in sorted(contexts):
        for letter in ALPHABET if len(context) < 2 else "aeqst":
            expected = referee.score(letter, list(context) or None)
            assert model.probability(letter, context) == pytest.approx(expected, abs=1e-12)
            compared += 1
    assert compared > 10_000


@pytest.mark.parametrize(
    ("combination", "combine"), [("mean", np.mean), ("max", np.max), ("sum", np.sum)]
)
def test_scores_are_those_of_the_source(combination, combine, sample, referee, play_some):
    agent = NgramAgent(combination=combination).fit(sample)
    secrets = sample[::31]
    observations = play_some(secrets, turns=3 + np.arange(len(secrets)) % 6)
    scores = agent.ngram_scores(observations)
    for game, codes in enumerate(observations["word"]):
        word = decode(codes)
        expected = np.zeros(26)
        for letter in np.flatnonzero(observations["guessed"][game] == 0):
            for order, weight in zip(range(1, 6), (0.1, 0.2, 0.2, 0.25, 0.2), strict=True):
                runs = [word[i : i + order] for i in range(len(word) - order + 1)]
                filled = [r.replace("_", ALPHABET[letter]) for r in runs if r.count("_") == 1]
                if filled:
                    found = [referee.score(run[-1], list(run[:-1]) or None) for run in filled]
                    expected[letter] += weight * combine(found)
        np.testing.assert_allclose(scores[game], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("pattern", "wrong", "by_frequency"),
    [
        ("_____e", "", True),
        ("_e_e_e", "", False),
        ("_e__e", "", True),
        ("______", "abc", True),
        ("______", "abcd", False),
    ],
)
def test_frequency_guesses_until_half_is_shown_or_fewer_than_three_tries_are_left(
    pattern, wrong, by_frequency, sample
):
    agent = NgramAgent().fit(sample)
    observation = parse_observation(pattern, wrong)
    benchmark = DictionaryAgent(exclude_guessed=False, once_a_word=False).fit(sample)
    expected = benchmark.letter_scores if by_frequency else agent.ngram_scores
    np.testing.assert_array_equal(agent.letter_scores(observation), expected(observation))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": ()}, "weights"),
        ({"weights": (1,) * 6}, "weights"),
        ({"weights": (-1,)}, "weights"),
        ({"combination": "median"}, "mean, max, sum"),
        ({"frequency_share": 1.5}, "frequency_share: 1.5"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, message):
    with pytest.raises(InputError, match=message):
        NgramAgent(**parameters)
