"""Derived words against a plain referee that derives them one by one."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.smoothed_ngrams import SmoothedNgrams
from tests.agents.test_ngram_posterior import word_probability
from training import derivations
from training.derivations import derive_words, word_keys

VERBS = ("walk", "talk", "jump", "play", "rest", "work", "paint", "count")
# No share of small counts, so that rounding decides nothing.
LEAST = 0.0437
KNOWN = tuple(
    [verb + ending for verb in VERBS[:-1] for ending in ("", "s", "ed", "ing")]
    + ["count", "recount", "repaint", "replay", "rework", "count" + "ing"]
)


def derive(words, **limits):
    model = SmoothedNgrams(words, 4)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(derivations, name, value)
        return derive_words(words, model)


def all_words(derived):
    return derived.words(np.ones(len(derived.keys), dtype=bool))


def log_odds(chance):
    chance = min(max(chance, 1e-3), 1 - 1e-3)
    return math.log(chance / (1 - chance))


def referee(words, at_end, max_affix=6, min_stem=2):
    """Return the derivations of each unknown word: (chance, affixes of the stem, stem)."""
    affixes_of = defaultdict(set)
    for word in words:
        for length in range(max_affix + 1):
            stem = word[: len(word) - length] if at_end else word[length:]
            if len(stem) >= min_stem:
                affixes_of[stem].add(word[len(word) - length :] if at_end else word[:length])
    having = Counter(affix for affixes in affixes_of.values() for affix in affixes)
    pairs = Counter((one, other) for affixes in affixes_of.values()
                    for one in affixes for other in affixes)  # fmt: skip
    found = defaultdict(list)
    for stem, affixes in affixes_of.items():
        for other in having.keys() - affixes:
            absent = 1.0
            for one in affixes:
                absent *= 1 - min(pairs[one, other] / (having[one] + 2), 0.98)
            word = stem + other if at_end else other + stem
            if 1 - absent >= LEAST and word not in words and len(word) <= 32:
                found[word].append((1 - absent, len(affixes), stem))
    return found


def check_against_referee(words):
    derived = derive(words, _MIN_CHANCE=LEAST)
    sides = [referee(words, True), referee(words, False)]
    names = all_words(derived)
    assert len(set(names)) == len(names)
    assert set(names) == sides[0].keys() | sides[1].keys()
    assert (derived.keys == word_keys(names)).all()
    assert (np.diff(derived.keys.astype(object)) > 0).all()
    model = SmoothedNgrams(words, 4)
    for row, word in enumerate(names):
        for number, side in enumerate(sides):
            found = derived.features[row, number * 5 : number * 5 + 5]
            options = sorted(side.get(word, []), reverse=True)
            chances = [chance for chance, _, _ in options] + [LEAST, LEAST]
            assert found[0] == pytest.approx(log_odds(chances[0]), rel=1e-3, abs=1e-3)
            assert found[1] == pytest.approx(log_odds(chances[1]), rel=1e-3, abs=1e-3)
            assert found[4] == pytest.approx(math.log1p(len(options)))
            # Of derivations that are equally likely, any may be the one that is described.
            best = [
                (math.log1p(family), len(stem))
                for chance, family, stem in options
                if chance == pytest.approx(chances[0], rel=1e-4)
            ] or [(0, 0)]
            assert any(found[2:4] == pytest.approx(values) for values in best)
        assert derived.features[row, 10] == len(word)
        log_probability = math.log(word_probability(model, word))
        assert derived.features[row, 11] == pytest.approx(log_probability, rel=1e-4)


def test_words_chances_and_families_are_those_of_the_referee():
    check_against_referee(KNOWN)


@settings(max_examples=50)
@given(st.sets(st.text("abs", min_size=1, max_size=6), min_size=1, max_size=25))
def test_on_any_words_they_are_those_of_the_referee(words):
    check_against_referee(tuple(sorted(words)))


def test_a_stem_gets_the_endings_and_beginnings_that_go_with_its_own():
    derived = derive(KNOWN)
    words = all_words(derived)
    for expected in ("counts", "counted", "rejump", "rewalking"):
        assert expected in words
    # Endings that other stems with the same endings have are likelier than others.
    chances = dict(zip(words, derived.features[:, 0], strict=True))
    assert chances["counted"] > chances["recounts"]
    assert not set(words) & set(KNOWN)


def test_only_the_commonest_affixes_up_to_a_length_are_looked_at():
    endings = {word for word in all_words(derive(KNOWN, _NUM_AFFIXES=3)) if word.startswith("coun")}
    assert endings < set(all_words(derive(KNOWN)))
    short = all_words(derive(KNOWN, _MAX_AFFIX=1))
    assert "counts" in short
    assert "counted" not in short


def test_no_word_is_longer_than_a_word_may_be():
    stem = "a" * 30
    known = (stem, stem + "s", "be", "bes", "beses", "bess")
    assert max(map(len, all_words(derive(known)))) <= 32
    assert max(map(len, all_words(derive(known, MAX_LENGTH=40)))) > 32


@pytest.mark.parametrize("words", [("a",), ("abc",), ("ab", "cde")])
def test_words_without_common_stems_derive_nothing(words):
    derived = derive(words)
    assert all_words(derived) == []
    assert derived.features.shape == (0, 12)


def test_keys_tell_words_apart(real_words):
    assert len(np.unique(word_keys(real_words))) == len(real_words)
    assert len(np.unique(word_keys(["", "a", "aa", "ab", "ba", "b"]))) == 6
