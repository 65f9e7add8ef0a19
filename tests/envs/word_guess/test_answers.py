import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.agents.word_guess.base import answer_matrix
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.word_guess.answers import MAX_WORD_LENGTH, AnswerRule
from tests.envs.word_guess.referee import cats_and_dogs, matches

same_length = st.integers(1, MAX_WORD_LENGTH).flatmap(
    lambda length: st.lists(
        st.text("abcd", min_size=length, max_size=length), min_size=1, max_size=5
    )
)


@given(same_length)
def test_answers_agree_with_a_plain_count(words):
    codes = encode_words(words).codes
    for rule, referee in (
        (AnswerRule(len(words[0]), True), cats_and_dogs),
        (AnswerRule(len(words[0]), False), matches),
    ):
        expected = [[referee(guess, secret) for secret in words] for guess in words]
        matrix = answer_matrix(rule, codes, codes)
        assert matrix.dtype == np.uint8
        np.testing.assert_array_equal(rule.answers_by_code[matrix], expected)
        for number in range(len(words)):
            row = rule.answer(np.repeat(codes[[number]], len(words), axis=0), codes)
            np.testing.assert_array_equal(row, matrix[number])


@pytest.mark.parametrize("count_misplaced", [True, False])
@pytest.mark.parametrize("length", [1, 4, MAX_WORD_LENGTH])
def test_every_answer_has_its_own_code_of_a_byte(length, count_misplaced):
    rule = AnswerRule(length, count_misplaced)
    assert rule.num_codes <= 256
    np.testing.assert_array_equal(rule.encode(rule.answers_by_code), np.arange(rule.num_codes))
    assert rule.answers_by_code[rule.solved].tolist()[-1] == length


def test_a_word_too_long_for_the_codes_is_refused():
    with pytest.raises(ValueError, match=r"word_length: 22 is not in 1\.\.21"):
        AnswerRule(22, True)
