"""Answers and word lists of word games, compared with plain ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.word_guess.rules import MAX_WORD_LENGTH, VARIANTS, WordGame, random_words
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


def test_random_words_are_distinct_and_seeded():
    words = random_words(100, 6, 3)
    assert len(set(words)) == 100
    assert {len(word) for word in words} == {6}
    assert words == random_words(100, 6, 3) != random_words(100, 6, 4)
    assert len(WordGame(variant="guess_the_word", word_length=1).allowed) == 26


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WordGame(["dove"], allowed=["zest"]), "the secret word 'dove' is missing"),
        (lambda: WordGame(["d-ve"]), "'d-ve' is not a word"),
        (lambda: WordGame(["acid", "dove"]).answer_table, "words: 4 answers .* are too many"),
        (lambda: random_words(27, 1), "count: 27 is not"),
        (lambda: random_words(1, 1.5), "word_length: 1.5 is not"),
    ],
)
def test_unusable_words_are_refused(monkeypatch, make, message):
    monkeypatch.setattr("hangman_lab.envs.word_guess.rules._MAX_TABLE", 3)
    with pytest.raises(InputError, match=message):
        make()
