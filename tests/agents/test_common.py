import numpy as np
import pytest

from hangman_lab.agents.common import mixture, people_words
from hangman_lab.envs.words import load_word_list


def test_words_that_people_choose_are_common_and_frequent_words_with_probabilities():
    words = people_words()
    assert 40_000 < len(words) < 50_000
    assert sum(words.values()) == pytest.approx(1)
    assert min(words.values()) > 0
    common = load_word_list("common").words
    assert set(common) <= words.keys()
    # Words that the default list lacks, but no names or rare words.
    assert {"online", "bananas"} <= words.keys()
    assert not {"jeffrey", "sieversia", "whore"} & words.keys()
    # The share of the common words, and what they have by frequency.
    assert sum(words[word] for word in common) == pytest.approx(0.7 + 0.3 * 0.5, abs=0.06)
    assert words["house"] > words["banana"] > words["online"] > words["bananas"]


@pytest.mark.parametrize(("share", "exponent"), [(1.0, 0.5), (0.0, 1.0)])
def test_the_mixture_is_of_equal_shares_and_of_powers_of_frequencies(share, exponent):
    house, banana, online = mixture(["house", "banana", "online"], share, exponent)
    if share:
        assert [house, banana, online] == [0.5, 0.5, 0.0]
    else:
        assert house + banana + online == pytest.approx(1)
        # As much as the words differ in frequency.
        assert mixture(["house", "banana"], 0.0, 2.0)[0] == pytest.approx(
            house**2 / (house**2 + banana**2)
        )
        assert np.argmax([house, banana, online]) == 0
