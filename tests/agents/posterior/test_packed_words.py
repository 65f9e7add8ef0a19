"""Packing and unpacking words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.agents.word_arrays import SortedWords, WordArrays, pack_words, unpack_words

# Few letters, so that many words begin alike.
WORDS = st.lists(st.text("abcxyz", min_size=1, max_size=32), min_size=1, unique=True)


@given(WORDS)
def test_sorted_words_survive_a_round_trip(words):
    arrays = WordArrays.of(words)
    arrays = arrays.take(arrays.order())
    unpacked = unpack_words(pack_words(SortedWords.of(arrays))).arrays()
    np.testing.assert_array_equal(unpacked.lengths, arrays.lengths)
    np.testing.assert_array_equal(unpacked.codes, arrays.codes)


@pytest.mark.parametrize("words", [("b", "a"), ("aa", "aa"), ("aa", "b"), ("a{", "ab"), ("a", "")])
def test_what_is_not_a_sorted_list_of_words_is_refused(words):
    text = "".join(word + "_" for word in words).encode()
    codes = np.frombuffer(text, dtype=np.uint8) - ord("_")
    with pytest.raises(ValueError, match="words"):
        unpack_words(pack_words(SortedWords(codes, np.zeros(33, dtype=np.int64))))
