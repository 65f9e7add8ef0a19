"""Candidates: derived from known words in plain ways, scored, described and limited."""

import math
from collections import Counter

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
# Some candidates would have more than 32 letters.
LONG = ("a" * 32, "a" * 31, "a" * 30, "be", "bes", "beses", "bess", "as", "ass")


def find(words, min_merit=-math.inf):
    """The candidates, by default with any probability by the letter models."""
    arrays = encode_words(words, MAX_LENGTH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_MIN_MERIT", min_merit)
        return derive_candidates(arrays, SmoothedNgrams(arrays, 4), fit_multigrams(arrays))


def names_of(found):
    return [decode(codes) for codes in found.words.codes]


def divisions(word):
    """The side, 0 for suffixes, with a stem of two letters or more and its affix there."""
    for size in range(len(word) - 1):
        end = len(word) - size
        yield (0, word[:end]), (0, word[end:])
        yield (1, word[size:]), (1, word[:size])


@settings(max_examples=30)
@example(KNOWN)
@example(("ab", "cde"))
@example(LONG)
@given(st.sets(st.text("abs", min_size=1, max_size=6), min_size=1, max_size=25).map(sorted))
def test_candidates_are_unknown_words_of_known_stems_and_affixes(words):
    found = find(words)
    names = names_of(found)
    assert not set(names) & set(words)
    assert found.words.lengths.max(initial=0) <= MAX_LENGTH
    assert (found.keys == sequence_keys(found.words)).all()
    assert (np.diff(found.keys.astype(object)) > 0).all()
    known = [division for word in words for division in divisions(word)]
    affixes = Counter(affix for _, affix in known)
    stems = {stem for stem, affix in known if affixes[affix] > 1}
    for name, features in zip(names, found.features, strict=True):
        possible = Counter(
            stem[0] for stem, affix in divisions(name) if affixes[affix] > 1 and stem in stems
        )
        assert features[0] <= possible[0]
        assert features[4] <= possible[1]
        assert features[0] + features[4] > 0
        assert features[8:14].tolist() == [
            sum(known[part] == name[part] for known in words)
            for size in (3, 5, 7)
            for part in (slice(size), slice(-size, None))
        ]
        assert features[14] == len(name)
    arrays = encode_words(words)
    for column, model in ((15, SmoothedNgrams(arrays, 4)), (16, fit_multigrams(arrays))):
        expected = model.log_probabilities(found.words)
        assert found.features[:, column] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("first", "direction"), [(0, 1), (4, -1)], ids=["suffixes", "prefixes"])
def test_a_score_is_about_the_share_of_the_stems_that_have_the_affix(first, direction):
    """Of ten stems, the words themselves, four have an s; the penalty counts as 100 without."""
    words = ("ab", "cd", "ef", "gh", "ij", "kl", "abs", "cds", "efs", "ghs")
    found = find([word[::direction] for word in words])
    names = [name[::direction] for name in names_of(found)]
    assert {"ijs", "kls"} < set(names)
    for name, features in zip(names, found.features[:, first : first + 4], strict=True):
        expected = (1, 4 / (10 + 100), 1, math.log(4)) if name[-1] == "s" else (0, 0, 0, 0)
        assert features == pytest.approx(expected, rel=1e-5)


def test_a_derivation_counts_the_affixes_of_its_stem():
    found = find(("ab", "abs", "abt", "cd", "cds", "cdt", "ef", "efs", "ijk", "ijkx"))
    features = dict(zip(names_of(found), found.features[:, :4].tolist(), strict=True))
    assert features["eft"][2:] == pytest.approx([2, math.log(2)])


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
