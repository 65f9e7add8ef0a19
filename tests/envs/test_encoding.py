import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.encoding import (
    ALPHABET,
    BLANK,
    FIRST_LETTER,
    PADDING,
    as_words,
    decode,
    encode_words,
    letter_index,
)
from hangman_lab.envs.errors import InputError

words_strategy = st.lists(st.text(ALPHABET, min_size=1, max_size=32), min_size=1, max_size=20)


@given(words_strategy)
def test_words_survive_encoding(words):
    encoded = encode_words(words)
    assert [decode(codes) for codes in encoded.codes] == words
    assert encoded.codes.dtype == np.uint8
    assert encoded.lengths.tolist() == [len(word) for word in words]
    assert encoded.width == max(map(len, words))
    counts = [[word.count(letter) for letter in ALPHABET] for word in words]
    assert encoded.letter_counts.tolist() == counts
    last = encoded[np.array([len(words) - 1])]
    assert (decode(last.codes[0]), last.lengths.tolist()) == (words[-1], [len(words[-1])])
    assert len(encoded[:0]) == len(encode_words([])) == 0


def test_codes_are_those_of_the_documentation():
    assert (PADDING, BLANK, FIRST_LETTER) == (0, 1, 2)
    assert encode_words(["az"], width=4).codes.tolist() == [[2, 27, 0, 0]]
    assert decode(np.array([2, 1, 27, 0, 0], dtype=np.uint8)) == "a_z"
    assert [letter_index(letter) for letter in ALPHABET] == list(range(26))
    for width in (0, 33):
        with pytest.raises(InputError, match=f"width: {width} is not an integer in 1..32"):
            encode_words(["cat"], width)


@pytest.mark.parametrize("kind", [list, iter, np.array, pandas.Series])
def test_words_are_strings_of_python_whatever_they_are_in(kind):
    words = as_words("words", kind(["ox", "cat"]))
    assert words == ("ox", "cat")
    assert {type(word) for word in words} == {str}


@pytest.mark.parametrize("word", ["", "Cat", "it's", "naïve", "c\x00", "abcdef", "cat "])
def test_what_cannot_be_encoded_is_refused_by_name(word):
    with pytest.raises(ValueError, match="letters a to z") as caught:
        encode_words(["dog", word], width=5)
    assert repr(word) in str(caught.value)
