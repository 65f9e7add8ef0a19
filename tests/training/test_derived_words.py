"""What is learned about derived words from words that are held back."""

import itertools

import numpy as np
import pytest

from agents.smoothed_ngrams import SmoothedNgrams
from training import derived_words
from training.config import WarmStartConfig
from training.derivations import derive_words
from training.derived_words import DerivedWords

OPTIONS = WarmStartConfig(ngram_order=4)
STEMS = tuple("".join(letters) for letters in itertools.product("bdgkt", "aeo", "lmnr", "pst"))
ENDINGS = ("", "s", "ed", "ing", "er")
FORMS = tuple(sorted({stem + ending for stem in STEMS for ending in ENDINGS}))
# Which forms are known is chance, so that the others are as regular as these.
IS_KNOWN = np.random.default_rng(0).random(len(FORMS)) < 0.7
REGULAR = tuple(np.array(FORMS)[IS_KNOWN].tolist())
UNKNOWN = set(FORMS) - set(REGULAR)


@pytest.fixture(scope="module", autouse=True)
def _short_training():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derived_words, "_STEPS", 200)
        patch.setattr(derived_words, "_BATCH", 512)
        yield


@pytest.fixture(scope="module")
def rated():
    words, probabilities = DerivedWords(REGULAR, OPTIONS, seed=0).rate(
        REGULAR, SmoothedNgrams(REGULAR, 4)
    )
    return dict(zip(words, probabilities.tolist(), strict=True))


def test_regular_forms_of_known_stems_are_likelier_than_other_derived_words(rated):
    assert len(UNKNOWN & rated.keys()) > 0.9 * len(UNKNOWN)
    # Many more words than these are derived, as "bampsing" is.
    assert len(derive_words(REGULAR, SmoothedNgrams(REGULAR, 4)).keys) > 5 * len(UNKNOWN)
    assert sum(rated[word] for word in UNKNOWN & rated.keys()) > 0.95 * sum(rated.values())


def test_no_known_word_is_rated_and_probabilities_leave_something(rated):
    assert not rated.keys() & set(REGULAR)
    assert all(chance > 0 for chance in rated.values())
    assert sum(rated.values()) <= 0.9 + 1e-9


def test_the_same_seed_rates_alike(rated):
    words, probabilities = DerivedWords(REGULAR, OPTIONS, seed=0).rate(
        REGULAR, SmoothedNgrams(REGULAR, 4)
    )
    assert words == list(rated)
    np.testing.assert_allclose(probabilities, list(rated.values()), rtol=1e-5)


def test_the_rating_does_not_see_words_that_it_was_not_given(monkeypatch):
    given = []

    def watch(words, model):
        given.append(set(words))
        return derive_words(words, model)

    monkeypatch.setattr(derived_words, "derive_words", watch)
    rater = DerivedWords(REGULAR, OPTIONS, seed=0)
    rater.rate(REGULAR[::2], SmoothedNgrams(REGULAR[::2], 4))
    # To learn, words are derived from nine tenths; the rest says which are words.
    assert given[0] < set(REGULAR)
    assert 0.8 < len(given[0]) / len(REGULAR) < 0.97
    assert given[1] == set(REGULAR[::2])


@pytest.mark.parametrize("words", [("bead",), ("bead", "cab"), tuple("abcdefghijklmnopqrstuvwxyz")])
def test_where_nothing_can_be_derived_nothing_is_rated(words):
    found, probabilities = DerivedWords(words, OPTIONS, seed=0).rate(
        words, SmoothedNgrams(words, 4)
    )
    assert found == []
    assert probabilities.shape == (0,)
