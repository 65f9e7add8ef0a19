"""Answers and word lists of word games, compared with plain ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.word_guess.rules import (
    MAX_WORD_LENGTH,
    VARIANTS,
    WordGame,
    random_words,
)
from tests.envs.word_guess.referee import cats_and_dogs, matches

same_length = st.integers(1, MAX_WORD_LENGTH).flatmap(
    lambda length: st.lists(
        st.text("abcd", min_size=length, max_size=length), min_size=1, max_size=5
    )
)


@given(same_length)
def test_answers_agree_with_a_plain_count(words):
    for variant, referee in zip(VARIANTS, (cats_and_dogs, matches), strict=True):
        game = WordGame(words, variant=variant, word_length=len(words[0]))
        expected = [[referee(guess, secret) for secret in game.allowed] for guess in game.allowed]
        assert len(np.unique(game.answers, axis=0)) == len(game.answers) <= 256
        np.testing.assert_array_equal(game.answers[game.answer_table], expected)
        assert (game.answer_table.diagonal() == game.solved).all()


def test_the_allowed_list_keeps_its_order_and_leaves_out_other_lengths():
    game = WordGame(["acid", "dove"], allowed=["zest", "dove", "toolong", "acid", "dove"])
    assert game.allowed == ("zest", "dove", "acid")
    assert game.secrets.tolist() == [2, 1]
    drawn = game.draw(np.arange(200, dtype=np.uint64), np.zeros(200, dtype=np.int64))
    assert set(drawn.tolist()) == {1, 2}


@pytest.mark.parametrize(
    ("words", "allowed", "message"),
    [
        (["dove"], ["zest"], "the secret word 'dove' is missing"),
        (["d-ve"], None, "'d-ve' is not a word"),
    ],
)
def test_unusable_lists_are_refused(words, allowed, message):
    with pytest.raises(ValueError, match=message):
        WordGame(words, allowed=allowed)


def test_random_words_are_distinct_and_seeded():
    words = random_words(100, 6, 3)
    assert len(set(words)) == 100
    assert {len(word) for word in words} == {6}
    assert words == random_words(100, 6, 3) != random_words(100, 6, 4)
    assert len(random_words(26, 1)) == 26
    assert len(WordGame(variant="guess_the_word", word_length=1).allowed) == 26
    with pytest.raises(ValueError, match="count: 27"):
        random_words(27, 1)
    with pytest.raises(ValueError, match=r"word_length: 1\.5 is not an integer in 1"):
        random_words(1, 1.5)


def test_a_table_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("hangman_lab.envs.word_guess.rules._MAX_TABLE", 3)
    with pytest.raises(ValueError, match="words: 4 answers about all pairs of words are too many"):
        _ = WordGame(["acid", "dove"]).answer_table
