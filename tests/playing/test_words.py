"""The words of a session."""

import itertools

import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import DIFFICULTIES, Split, clean_words
from hangman_lab.playing.words import divide_words, draw_words, narrow
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import split_words

MANY = clean_words((f"{a}{b}{c}" for a in "abcdef" for b in "aeiou" for c in "xyz"), "a list")
# Both of its words are in the train split.
SHORT = clean_words(["tea", "ox"], "a list")


def divide(word_list, **given):
    return divide_words(split_words(Config(), word_list), **given)


def test_with_an_agent_the_words_to_guess_are_the_test_split_without_one_the_whole_list():
    words = divide(MANY, keep_apart=True, has_run=False)
    parts = Split().divide(MANY)
    assert words == (parts["test"], parts["train"], "test split of a list")
    assert divide(MANY, keep_apart=False, has_run=False) == (MANY.words, MANY.words, "a list")


def test_a_short_list_is_not_split_except_for_a_run():
    whole = ("ox", "tea"), ("ox", "tea"), "a list, too few to be split"
    assert divide(SHORT, keep_apart=True, has_run=False) == whole
    with pytest.raises(InputError, match="a list: no test word of 1 to 32 letters"):
        divide(SHORT, keep_apart=True, has_run=True)


def test_words_are_narrowed_by_length_and_then_by_difficulty():
    words = ("ox", "tea", "rate", "jazz", "vex", "fjord")
    assert narrow(words, (3, 4), None) == ("tea", "rate", "jazz", "vex")
    parts = [narrow(words, (2, 4), name) for name in DIFFICULTIES]
    assert sorted(sum(parts, ())) == sorted(set(words) - {"fjord"})
    with pytest.raises(InputError, match="7 to 9 letters; there are words of 2, 3, 4, 5"):
        narrow(words, (7, 9), None)
    with pytest.raises(InputError, match="2 words cannot be divided"):
        narrow(words, (3, 3), "easy")


def test_a_seed_determines_the_order_of_the_words():
    def draw(words, seed, count):
        return list(itertools.islice(draw_words(words, seed), count))

    drawn = draw(MANY.words, 3, len(MANY))
    assert sorted(drawn) == list(MANY.words)
    assert drawn == draw(MANY.words, 3, len(MANY)) != draw(MANY.words, 4, len(MANY))
    assert draw(("a",), 0, 3) == ["a", "a", "a"]
