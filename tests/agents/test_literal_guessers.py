"""Agents from public sources score letters like literal transcriptions of the sources."""

from functools import partial

import numpy as np
import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.encoding import ALPHABET, decode
from tests.agents import literal_guessers as literal
from tests.agents.games import random_states

SOURCES = {
    "benchmark": literal.benchmark,
    "dictionary": partial(literal.benchmark, once_a_word=True, exclude=True),
    "overall-frequency": partial(literal.frequency, top_heavy=False),
    "top-heavy": partial(literal.frequency, top_heavy=True),
    "ngram": literal.ngram,
    "decomposition": literal.decomposition,
}


@pytest.mark.parametrize("name", SOURCES)
def test_scores_are_those_of_the_source(name, real_words):
    words = real_words[::3]
    # Every second secret is not in the list, so that the last resorts are used as well.
    states, _ = random_states(sorted({*words[::40], *real_words[1::120]}), seed=7)
    scores = make_agent(name).fit(words).letter_scores(states)
    scores[states["guessed"] != 0] = 0
    source = SOURCES[name](words)
    for game, codes in enumerate(states["word"]):
        guessed = {ALPHABET[letter] for letter in np.flatnonzero(states["guessed"][game])}
        expected = source(decode(codes), guessed, int(states["lives"][game]))
        np.testing.assert_allclose(
            scores[game], [expected.get(letter, 0.0) for letter in ALPHABET], atol=1e-12
        )
    assert game > 50
