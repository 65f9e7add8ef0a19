"""Packing and unpacking words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.agents.posterior.files import pack_words, unpack_words
from hangman_lab.envs.encoding import EncodedWords, encode_words

# Few letters, so that many words begin alike.
WORDS = st.lists(st.text("abcxyz", min_size=1, max_size=32), min_size=1, unique=True)


@given(WORDS)
def test_sorted_words_survive_a_round_trip(words):
    arrays = encode_words(words)
    arrays = arrays[arrays.argsort()]
    unpacked = unpack_words(pack_words(arrays))
    np.testing.assert_array_equal(unpacked.lengths, arrays.lengths)
    np.testing.assert_array_equal(unpacked.codes, arrays.codes)


@pytest.mark.parametrize("words", [("b", "a"), ("aa", "aa"), ("aa", "b"), ("a{", "ab"), ("a", "")])
def test_what_is_not_a_sorted_list_of_words_is_refused(words):
    codes = np.array([[ord(letter) - ord("_") for letter in f"{word:_<2}"] for word in words])
    lengths = np.array([len(word) for word in words])
    with pytest.raises(ValueError, match="words"):
        unpack_words(pack_words(EncodedWords(codes.astype(np.uint8), lengths)))
