"""Which words games have."""

from collections import Counter

import pytest

from envs.errors import InputError
from envs.words import Split, clean_words
from server.served_words import divide_words, draw_word


@pytest.fixture
def word_list(real_words):
    return clean_words(real_words, "a list")


def test_recorded_games_have_test_words_and_practice_games_valid_words(word_list):
    parts = Split().divide(word_list)
    served = divide_words(word_list, Split())
    assert served.recorded == parts["test"]
    assert served.practice == parts["valid"]
    assert served.to_fit == parts["train"]
    assert "(test)" in served.description
    assert "(valid)" in served.description


def test_parts_that_are_asked_for(word_list):
    served = divide_words(word_list, Split(), "all", "train")
    assert served.recorded == word_list.words
    assert served.practice == Split().divide(word_list)["train"]


def test_a_list_that_is_too_short_is_served_whole_unless_a_part_is_asked_for():
    word_list = clean_words(["banana"], "a list")
    served = divide_words(word_list, Split())
    assert served.recorded == served.practice == served.to_fit == ("banana",)
    assert "too few to be split" in served.description
    with pytest.raises(InputError, match=r"^--split: a list has no test word"):
        divide_words(word_list, Split(), "test")


def test_words_of_other_lengths_are_left_out(word_list):
    served = divide_words(word_list, Split(), lengths=(5, 6))
    assert {len(word) for word in (*served.recorded, *served.practice)} == {5, 6}


def test_words_are_drawn_evenly():
    words = ("apple", "banana", "jazz", "noon")
    drawn = Counter(draw_word(words) for _ in range(4000))
    # 7 standard deviations of a fair draw.
    assert all(abs(drawn[word] - 1000) < 7 * 28 for word in words)


def test_words_that_were_played_come_when_no_other_is_left():
    words = tuple(f"word{chr(97 + index)}" for index in range(26))
    assert {draw_word(words, words[1:]) for _ in range(20)} == {words[0]}
    assert draw_word(words, words) in words
