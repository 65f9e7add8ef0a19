"""Candidates, compared with a simple reference implementation."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import MAX_LENGTH, decode, encode_words
from hangman_lab.training import candidates, derivations
from hangman_lab.training.candidates import derive_candidates
from hangman_lab.training.multigrams import fit_multigrams

VERBS = ("walk", "talk", "jump", "play", "rest", "work", "paint", "count")
# No score of small counts, so that rounding decides nothing.
LEAST = 0.0137
KNOWN = tuple(
    [verb + ending for verb in VERBS[:-1] for ending in ("", "s", "ed", "ing")]
    + ["count", "recount", "repaint", "replay", "rework", "counting"]
)


def find(words, **limits):
    arrays = encode_words(words, MAX_LENGTH)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(candidates if hasattr(candidates, name) else derivations, name, value)
        return derive_candidates(arrays, SmoothedNgrams(arrays, 4), fit_multigrams(arrays))


def find_all(words, **limits):
    """The candidates, with any probability by the letter models."""
    return find(words, _MIN_MERIT=-math.inf, **limits)


def names_of(found):
    return [decode(codes) for codes in found.words.codes]


def log_odds(probability):
    probability = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(probability / (1 - probability))


def referee(words, at_end, max_affix=7, min_stem=2, penalty=100):
    """Return the derivations of each unknown word: (score, affixes of the stem, stems of both)."""
    affixes_of = defaultdict(set)
    for word in words:
        for length in range(max_affix + 1):
            stem = word[: len(word) - length] if at_end else word[length:]
            if len(stem) >= min_stem:
                affixes_of[stem].add(word[len(word) - length :] if at_end else word[:length])
    counts = Counter(affix for affixes in affixes_of.values() for affix in affixes)
    affixes = sorted(affix for affix, count in counts.items() if count > 1)
    affixes_of = {stem: known & set(affixes) for stem, known in affixes_of.items()}
    has = np.zeros((len(affixes_of), len(affixes)))
    for row, known in zip(has, affixes_of.values(), strict=True):
        row[[affixes.index(affix) for affix in known]] = 1
    shared = has.T @ has
    inverse = np.linalg.inv(shared + penalty * np.eye(len(affixes)))
    weights = np.where(shared > 0, -inverse / inverse.diagonal(), 0)
    np.fill_diagonal(weights, 0)
    found = defaultdict(list)
    for (stem, known), scores in zip(affixes_of.items(), has @ weights, strict=True):
        for affix, score, count in zip(affixes, scores, shared.diagonal(), strict=True):
            word = stem + affix if at_end else affix + stem
            if affix not in known and score >= LEAST and word not in words and len(word) <= 32:
                found[word].append((score, len(known), count))
    return found


def check_against_referee(words):
    found = find_all(words, _MIN_SCORE=LEAST, _MIN_WEIGHT=0)
    sides = [referee(words, True), referee(words, False)]
    names = names_of(found)
    assert len(set(names)) == len(names)
    assert set(names) == sides[0].keys() | sides[1].keys()
    assert found.words.lengths.tolist() == [len(name) for name in names]
    assert (found.keys == sequence_keys(found.words)).all()
    assert (np.diff(found.keys.astype(object)) > 0).all()
    for row, word in enumerate(names):
        for number, side in enumerate(sides):
            features = found.features[row, number * 4 : number * 4 + 4]
            options = side.get(word, [])
            if not options:
                assert not features.any()
                continue
            assert features[0] == len(options)
            highest = max(score for score, *_ in options)
            assert features[1] == pytest.approx(highest, rel=1e-4)
            # Of derivations with equal scores, any may be the one that is described.
            best = [
                (family, pytest.approx(math.log(count), rel=1e-6))
                for score, family, count in options
                if score == pytest.approx(highest, rel=1e-4)
            ]
            assert tuple(features[2:4]) in best
        assert found.features[row, 8:14].tolist() == [
            sum(known[part] == word[part] for known in words)
            for size in (3, 5, 7)
            for part in (slice(size), slice(-size, None))
        ]
    arrays = encode_words(words, MAX_LENGTH)
    for column, model in ((15, SmoothedNgrams(arrays, 4)), (16, fit_multigrams(arrays))):
        expected = model.log_probabilities(found.words)
        assert found.features[:, column] == pytest.approx(expected, rel=1e-5)
    assert found.features[:, 14].tolist() == found.words.lengths.tolist()


@settings(max_examples=30)
@example(KNOWN)
@given(st.sets(st.text("abs", min_size=1, max_size=6), min_size=1, max_size=25))
def test_candidates_of_any_words_are_those_of_the_reference(words):
    check_against_referee(tuple(sorted(words)))


def test_improbable_words_are_dropped():
    everything = find_all(KNOWN)
    kept = find(KNOWN, _MIN_MERIT=-10.0)
    assert 0 < len(kept.keys) < len(everything.keys)
    scores = {}
    for word, features in zip(names_of(everything), everything.features.tolist(), strict=True):
        no_derivation = (1 - features[1]) * (1 - features[5])
        scores[word] = features[15] + 0.8 * len(word) + 2 * log_odds(1 - no_derivation)
    assert set(names_of(kept)) == {word for word, score in scores.items() if score >= -10.0}
    rows = np.isin(everything.keys, kept.keys)
    np.testing.assert_array_equal(kept.features, everything.features[rows])
    np.testing.assert_array_equal(kept.words.codes, everything.words.codes[rows])


def test_only_the_most_frequent_short_affixes_are_used():
    def beginning_with_coun(found):
        return {word for word in names_of(found) if word.startswith("coun")}

    assert beginning_with_coun(find_all(KNOWN, _NUM_AFFIXES=3)) < set(names_of(find_all(KNOWN)))
    short = names_of(find_all(KNOWN, _MAX_AFFIX=1))
    assert "counts" in short
    assert "counted" not in short


def test_candidates_have_at_most_32_letters():
    known = ("a" * 32, "a" * 31, "a" * 30, "be", "bes", "beses", "bess", "as", "ass")
    found = find_all(known)
    check_against_referee(known)
    assert found.words.lengths.max() <= 32


@pytest.mark.parametrize("words", [("a",), ("abc",), ("ab", "cde")])
@pytest.mark.parametrize("is_compiled", [True, False])
def test_words_without_common_stems_derive_nothing(words, is_compiled, monkeypatch):
    if not is_compiled:  # Python raises IndexError where compiled code reads something.

        def combine(thread, num_threads, codes, derived, *others):
            return compiled.py_func(thread, num_threads, codes, derived.view(np.recarray), *others)

        compiled = candidates._combine
        monkeypatch.setattr(candidates, "_combine", combine)
    found = find_all(words)
    assert names_of(found) == []
    assert found.features.shape == (0, 17)
