"""Words with probabilities of their own, against sums over all words one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.posterior.lattice import likeliest_words, pair_table, presence
from agents.posterior.listed_words import heaviest_words, is_listed, list_words
from agents.smoothed_ngrams import SmoothedNgrams
from envs.encoding import encode_words
from envs.hangman.observation import parse_observation
from tests.agents.test_ngram_posterior import WORDS, word_probability

LEFT = "abde"


@pytest.fixture(scope="module")
def model():
    return SmoothedNgrams(WORDS, 4)


def fillings(pattern, left=LEFT):
    for letters in itertools.product(left, repeat=pattern.count("_")):
        rest = iter(letters)
        yield "".join(next(rest) if place == "_" else place for place in pattern)


def observe(pattern, left=LEFT):
    wrong = "".join(c for c in map(chr, range(97, 123)) if c not in left and c not in pattern)
    return parse_observation(pattern, wrong, max_wrong=27)


def arguments(model, listed):
    return (
        model.probabilities,
        model.next_state,
        model.start,
        pair_table(model.of_order(3)),
        list_words(tuple(listed), tuple(listed.values()), model),
    )


def excluding(words):
    return dict.fromkeys(words, 0.0)


def presence_of(model, pattern, listed, beam=0.0):
    observation = observe(pattern)
    return presence(
        observation["word"], observation["guessed"], *arguments(model, listed), beam, 1
    )[0]


def probabilities_of(model, words, listed):
    """Listed words have their own probability; the rest is shared out as the model has it."""
    by_model = sum(word_probability(model, word) for word in listed)
    factor = (1 - sum(listed.values())) / (1 - by_model)
    return {
        word: listed[word] if word in listed else word_probability(model, word) * factor
        for word in words
    }


def expected_presence(model, pattern, listed):
    total, having = 0.0, np.zeros(26)
    for word, probability in probabilities_of(model, fillings(pattern), listed).items():
        total += probability
        hidden = {letter for letter, place in zip(word, pattern, strict=True) if place == "_"}
        for letter in hidden:
            having[ord(letter) - ord("a")] += probability
    return having / total


def test_each_word_has_its_probability_by_the_model_and_its_own_mass(model):
    own = np.random.default_rng(0).random(len(WORDS)) / len(WORDS)
    listed = list_words(WORDS, own, model)
    in_order = sorted(WORDS, key=lambda word: (len(word), word))
    probabilities = [word_probability(model, word) for word in in_order]
    np.testing.assert_allclose(listed.probabilities, probabilities, rtol=1e-5)
    # Of all others the mass is the probability by the model; so that the ratio is as it should be.
    left = 1 - sum(probabilities)
    expected = [own[WORDS.index(word)] / (1 - own.sum()) * left for word in in_order]
    np.testing.assert_allclose(listed.masses, expected, rtol=1e-4)


@pytest.mark.parametrize("step", [2, 3, 7])
@pytest.mark.parametrize("pattern", ["____", "_c_", "i__cc_", "c___", "__"])
def test_the_posterior_is_a_sum_over_all_other_words(model, pattern, step):
    # Words that fit, and words that do not: by their letters, by their length.
    excluded = excluding({*WORDS, *list(fillings(pattern))[::step], "cabbiecabbie"})
    found = presence_of(model, pattern, excluded)
    np.testing.assert_allclose(found, expected_presence(model, pattern, excluded), atol=1e-4)


@pytest.mark.parametrize("total", [0.1, 0.9])
@pytest.mark.parametrize("pattern", ["____", "_c_", "i__cc_", "c___", "__"])
def test_words_with_a_probability_have_that_in_place_of_the_models(model, pattern, total):
    words = sorted({*WORDS, *list(fillings(pattern))[::3], "cabbiecabbie"})
    own = np.random.default_rng(1).random(len(words)) ** 4
    own[::4] = 0
    listed = dict(zip(words, own / own.sum() * total, strict=True))
    found = presence_of(model, pattern, listed)
    np.testing.assert_allclose(found, expected_presence(model, pattern, listed), atol=1e-4)


def test_a_listed_word_that_no_longer_fits_changes_nothing(model):
    listed = {"bead": 0.0, "added": 0.3}
    for pattern in ("a__", "c____", "_cc_"):
        without = presence_of(model, pattern, {})
        assert (presence_of(model, pattern, listed) == without).all()


def test_where_all_words_are_excluded_the_posterior_is_that_of_all(model):
    pattern = "b__"
    found = presence_of(model, pattern, excluding(fillings(pattern)))
    np.testing.assert_allclose(found, presence_of(model, pattern, {}), atol=1e-4)


@given(
    pattern=st.text("abc_", min_size=1, max_size=5).filter(lambda text: "_" in text),
    listed=st.dictionaries(
        st.text("abcde", min_size=1, max_size=5), st.floats(0, 0.02), max_size=40
    ),
    beam=st.sampled_from([0.0, 1e-2]),
)
def test_whatever_is_listed_probabilities_are_probabilities(model, pattern, listed, beam):
    found = presence_of(model, pattern, listed, beam)
    assert np.isfinite(found).all()
    assert ((found >= 0) & (found <= 1)).all()
    left = [letter for letter in LEFT if letter not in pattern]
    others = [i for i in range(26) if chr(97 + i) not in left]
    assert (found[others] == 0).all()


@given(
    listed=st.sets(st.text("abc", min_size=1, max_size=4), max_size=30),
    word=st.text("abc", min_size=1, max_size=5),
    shown=st.sets(st.integers(0, 4)),
)
def test_a_word_is_found_exactly_if_it_is_in_the_list(model, listed, word, shown):
    codes = encode_words([word]).codes[0].copy()
    hidden = [codes[place] - 2 for place in range(len(word)) if place not in shown]
    codes[[place for place in range(len(word)) if place not in shown]] = 1
    words = list_words(tuple(listed), np.zeros(len(listed)), model)
    found = is_listed(codes, np.array(hidden, dtype=np.int8), len(word), words)
    assert found == (word in listed)


def words_of(hidden, values):
    """Return what stands in four blanks, with a value each."""
    found = ["".join(chr(97 + letter) for letter in row[:4]) for row in hidden]
    assert len(set(found)) == len(found)
    return dict(zip(found, values, strict=True))


@pytest.mark.parametrize(
    "listed",
    [
        {},
        {"bead": 0.0, "deed": 0.0, "abba": 0.0},
        {"bead": 0.0, "deed": 0.3, "eeee": 0.01, "cede": 0.4},
        excluding(fillings("____")),
    ],
)
def test_the_likeliest_words_have_their_probabilities(model, listed):
    observation = observe("____")
    hidden, shares = likeliest_words(
        observation["word"][0], observation["guessed"][0], *arguments(model, listed), 1000
    )
    found = words_of(hidden, shares)
    probabilities = probabilities_of(model, fillings("____"), listed)
    possible = {word: chance for word, chance in probabilities.items() if chance > 0}
    # Where nothing is left, all words of the model are listed.
    possible = possible or probabilities_of(model, fillings("____"), {})
    assert found.keys() == possible.keys()
    for word, share in found.items():
        assert share == pytest.approx(possible[word] / sum(possible.values()), rel=1e-4)


@pytest.mark.parametrize("num_words", [1, 5, 40])
def test_a_likely_listed_word_comes_before_those_of_the_model(model, num_words):
    observation = observe("____")
    listed = {"bbbb": 0.5, "eeee": 0.2, "bead": 0.0, "dddd": 1e-12}
    hidden, shares = likeliest_words(
        observation["word"][0], observation["guessed"][0], *arguments(model, listed), num_words
    )
    assert len(shares) == num_words
    found = words_of(hidden, shares)
    assert list(found)[:2] == ["bbbb", "eeee"][:num_words]
    assert "bead" not in found
    assert "dddd" not in found


def test_the_heaviest_words_fit_the_game(model):
    listed = {"bead": 0.1, "abed": 0.2, "deed": 0.0, "fade": 0.3, "added": 0.1, "bade": 0.15}
    observation = observe("____")
    word, words = observation["word"][0], list_words(tuple(listed), tuple(listed.values()), model)
    for num_words, expected in (
        (1, {"abed"}),
        (2, {"abed", "bade"}),
        (9, {"abed", "bade", "bead"}),
    ):
        hidden, masses = heaviest_words(word, observation["guessed"][0], 4, words, num_words)
        found = words_of(hidden, masses)
        assert found.keys() == set(expected)
        for name, mass in found.items():
            assert mass / found["abed"] == pytest.approx(listed[name] / 0.2)
