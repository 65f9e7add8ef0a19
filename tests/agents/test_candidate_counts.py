"""Counts over bit sets against plain loops over words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents.candidates import CandidateIndex
from envs.encoding import decode


def fits(word, shown, guessed, exclude_wrong, exclude_shown):
    if len(word) != len(shown):
        return False
    for letter, other in zip(shown, word, strict=True):
        if letter != "_" and letter != other:
            return False
        if letter == "_" and exclude_shown and other in guessed and other in shown:
            return False
    return not (exclude_wrong and set(word) & (guessed - set(shown)))


@pytest.mark.parametrize(
    ("exclude_wrong", "exclude_shown"), list(itertools.product([False, True], repeat=2))
)
def test_counts_are_those_of_the_words_that_fit(
    exclude_wrong, exclude_shown, real_words, play_some
):
    # Some lengths have many words, so that counts of bits and counts over words both come up.
    secrets = real_words[::71]
    observations = play_some(secrets, turns=np.arange(len(secrets)) % 7)
    index = CandidateIndex(real_words)
    once, num_candidates = index.count(observations, exclude_wrong, exclude_shown, True)
    often, _ = index.count(observations, exclude_wrong, exclude_shown, False)
    by_place, again = index.count_by_place(observations, exclude_wrong, exclude_shown)
    np.testing.assert_array_equal(num_candidates, again)
    for game, codes in enumerate(observations["word"]):
        shown = decode(codes)
        guessed = {chr(97 + k) for k in np.flatnonzero(observations["guessed"][game])}
        words = [w for w in real_words if fits(w, shown, guessed, exclude_wrong, exclude_shown)]
        assert num_candidates[game] == len(words)
        joined = "".join(words)
        assert often[game].tolist() == [joined.count(chr(97 + k)) for k in range(26)]
        assert once[game].tolist() == [sum(chr(97 + k) in w for w in words) for k in range(26)]
        for place, letter in enumerate(shown):
            letters = [word[place] for word in words] if letter == "_" else []
            expected = [letters.count(chr(97 + k)) for k in range(26)]
            assert by_place[game, place].tolist() == expected
        assert not by_place[game, len(shown) :].any()
