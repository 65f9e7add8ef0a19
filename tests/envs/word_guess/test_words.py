import numpy as np
import pytest

from hangman_lab.envs.word_guess.words import GuessWords, random_words


def test_the_allowed_list_keeps_its_order_and_leaves_out_other_lengths():
    words = GuessWords(["dove"], ["zest", "dove", "toolong", "acid", "dove"])
    assert words.allowed == ("zest", "dove", "acid")
    assert words.secrets.tolist() == [1]


@pytest.mark.parametrize(
    ("words", "allowed", "message"),
    [
        (["dove"], ["zest"], "words are not in the allowed list, for example 'dove'"),
        (["pigeon"], None, "words: none of 1 has 4 letters"),
        (["d-ve"], None, "'d-ve' is not a word"),
        ("dove", None, "not a sequence of words"),
    ],
)
def test_unusable_lists_are_refused(words, allowed, message):
    with pytest.raises(ValueError, match=message):
        GuessWords(words, allowed)


def test_only_secrets_are_drawn():
    words = GuessWords(["dove", "acid"], ["zest", "dove", "well", "acid"])
    drawn = words.draw(np.arange(200, dtype=np.uint64), np.zeros(200, dtype=np.int64))
    assert set(drawn.tolist()) == {1, 3}


def test_random_words_are_distinct_and_seeded():
    words = random_words(100, 6, 3)
    assert len(set(words)) == 100
    assert {len(word) for word in words} == {6}
    assert words == random_words(100, 6, 3)
    assert words != random_words(100, 6, 4)
    assert len(random_words(26, 1)) == 26
    with pytest.raises(ValueError, match="count: 27"):
        random_words(27, 1)
