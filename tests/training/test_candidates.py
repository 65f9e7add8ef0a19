"""Candidates: derived from known words in plain ways, scored, described and limited."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import MAX_LENGTH, decode, encode_words
from hangman_lab.training import candidates
from hangman_lab.training.candidates import derive_candidates
from hangman_lab.training.multigrams import fit_multigrams

VERBS = ("walk", "talk", "jump", "play", "rest", "work", "paint")
KNOWN = tuple(
    [verb + ending for verb in VERBS for ending in ("", "s", "ed", "ing")]
    + ["count", "recount", "repaint", "replay", "rework", "counting"]
)


def find(words, min_merit=-math.inf):
    """The candidates, by default with any probability by the letter models."""
    arrays = encode_words(words, MAX_LENGTH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_MIN_MERIT", min_merit)
        return derive_candidates(arrays, SmoothedNgrams(arrays, 4), fit_multigrams(arrays))


def names_of(found):
    return [decode(codes) for codes in found.words.codes]


def divisions(word, at_end):
    """All pairs of a stem of two letters or more and an affix of seven or fewer."""
    sizes = range(min(len(word) - 1, 8))
    if at_end:
        return [(word[: len(word) - size], word[len(word) - size :]) for size in sizes]
    return [(word[size:], word[:size]) for size in sizes]


@settings(max_examples=30)
@example(KNOWN)
@given(st.sets(st.text("abs", min_size=1, max_size=6), min_size=1, max_size=25).map(sorted))
def test_candidates_are_unknown_words_of_known_stems_and_affixes(words):
    found = find(words)
    names = names_of(found)
    assert not set(names) & set(words)
    assert found.words.lengths.tolist() == [len(name) for name in names]
    assert (found.keys == sequence_keys(found.words)).all()
    assert (np.diff(found.keys.astype(object)) > 0).all()
    derivations = np.zeros(len(names))
    for first, at_end in ((0, True), (4, False)):
        stems, affixes = defaultdict(set), defaultdict(set)
        for word in words:
            for stem, affix in divisions(word, at_end):
                affixes[affix].add(stem)
        for affix, its_stems in affixes.items():
            for stem in its_stems if len(its_stems) > 1 else ():
                stems[stem].add(affix)
        for name, features in zip(names, found.features[:, first : first + 4], strict=True):
            options = [
                (len(stems[stem]), pytest.approx(math.log(len(affixes[affix])), rel=1e-6))
                for stem, affix in divisions(name, at_end)
                if stem in stems and len(affixes[affix]) > 1
            ]
            assert features[0] <= len(options)
            assert tuple(features[2:]) in options if features[0] else not features.any()
        derivations += found.features[:, first]
    assert (derivations > 0).all()
    for row, name in enumerate(names):
        assert found.features[row, 8:14].tolist() == [
            sum(known[part] == name[part] for known in words)
            for size in (3, 5, 7)
            for part in (slice(size), slice(-size, None))
        ]
    arrays = encode_words(words)
    assert found.features[:, 14].tolist() == found.words.lengths.tolist()
    for column, model in ((15, SmoothedNgrams(arrays, 4)), (16, fit_multigrams(arrays))):
        expected = model.log_probabilities(found.words)
        assert found.features[:, column] == pytest.approx(expected, rel=1e-5)


def test_a_score_is_about_the_share_of_the_stems_that_have_the_affix():
    """Of ten stems, the words themselves, four have an s; the penalty counts as 100 without."""
    found = find(("ab", "cd", "ef", "gh", "ij", "kl", "abs", "cds", "efs", "ghs"))
    assert {"ijs", "kls"} < set(names_of(found))
    for name, features in zip(names_of(found), found.features, strict=True):
        expected = (1, 4 / (10 + 100), 1, math.log(4)) if name[-1] == "s" else (0, 0, 0, 0)
        assert features[:4] == pytest.approx(expected, rel=1e-5)


def test_improbable_words_are_dropped():
    everything, kept = find(KNOWN), find(KNOWN, min_merit=-10.0)
    assert 0 < len(kept.keys) < len(everything.keys)
    rows = np.isin(everything.keys, kept.keys)
    np.testing.assert_array_equal(kept.features, everything.features[rows])
    np.testing.assert_array_equal(kept.words.codes, everything.words.codes[rows])
    assert everything.features[rows, 15].mean() > everything.features[~rows, 15].mean()


def test_affixes_have_at_most_seven_letters():
    for ending, is_used in (("qrstuvw", True), ("qrstuvwx", False)):
        found = find(("ab", "cd", "ef", "ab" + ending, "cd" + ending))
        assert ("ef" + ending in names_of(found)) == is_used


def test_candidates_have_at_most_32_letters():
    found = find(("a" * 32, "a" * 31, "a" * 30, "be", "bes", "beses", "bess", "as", "ass"))
    assert 0 < found.words.lengths.max() <= 32


@pytest.mark.parametrize("words", [("a",), ("abc",), ("ab", "cde")])
def test_words_without_common_stems_derive_nothing(words):
    found = find(words)
    assert names_of(found) == []
    assert found.features.shape == (0, 17)
