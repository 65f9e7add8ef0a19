"""Packing and unpacking words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.agents.word_arrays import WordArrays, pack_words, unpack_words

# Few letters, so that many words begin alike.
WORDS = st.lists(st.text("abcxyz", min_size=1, max_size=32), min_size=1, unique=True)


@given(WORDS)
def test_sorted_words_survive_a_round_trip(words):
    arrays = WordArrays.of(words)
    arrays = arrays.take(arrays.order())
    unpacked = unpack_words(pack_words(arrays))
    np.testing.assert_array_equal(unpacked.lengths, arrays.lengths)
    # As wide as the longest word.
    np.testing.assert_array_equal(unpacked.codes, arrays.codes[:, : arrays.lengths.max()])


@pytest.mark.parametrize("words", [("b", "a"), ("aa", "aa"), ("aa", "b"), ("a{", "ab"), ("a", "")])
def test_what_is_not_a_sorted_list_of_words_is_refused(words):
    codes = np.zeros((len(words), 32), dtype=np.uint8)
    for row, word in zip(codes, words, strict=True):
        row[: len(word)] = [ord(letter) - 95 for letter in word]
    arrays = WordArrays(codes, np.array([len(word) for word in words]))
    with pytest.raises(ValueError, match="words"):
        unpack_words(pack_words(arrays))
