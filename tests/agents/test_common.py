import numpy as np
import pytest

from hangman_lab.agents.common import people_probabilities, people_words
from hangman_lab.envs.words import load_word_list


def test_words_that_people_choose_are_frequent_words_and_those_of_the_common_list():
    words = set(people_words())
    assert 40_000 < len(words) < 50_000
    assert set(load_word_list("common").words) <= words
    # Words that the default list lacks, but no names, vulgar or rare words.
    assert {"online", "bananas"} <= words
    assert not {"jeffrey", "sieversia", "whore"} & words


def test_people_choose_a_common_word_or_a_word_by_its_frequency():
    words = ["house", "banana", "online", "jeffrey", "sieversia"]
    by_frequency = people_probabilities(words, 0.0, 1.0)
    assert by_frequency.sum() == pytest.approx(1)
    assert by_frequency[0] > by_frequency[1] > 0
    # A name, and a word without a frequency.
    assert by_frequency[3:].tolist() == [0.0, 0.0]
    assert people_probabilities(words, 1.0, 1.0).tolist() == [0.5, 0.5, 0.0, 0.0, 0.0]
    roots = np.sqrt(by_frequency)
    expected = 0.5 * roots / roots.sum() + 0.5 * np.array([0.5, 0.5, 0.0, 0.0, 0.0])
    assert people_probabilities(words, 0.5, 0.5) == pytest.approx(expected)
    # Nothing is known about these words.
    assert people_probabilities(["jeffrey", "sieversia"]).tolist() == [0.5, 0.5]
