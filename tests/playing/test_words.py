from itertools import islice

import pytest

from envs.errors import InputError
from envs.words import Split, clean_words
from playing.words import divide_words, draw_words, narrow

MANY = clean_words((f"{a}{b}{c}" for a in "abcdef" for b in "aeiou" for c in "xyz"), "a list")


def test_with_an_agent_the_words_to_guess_are_those_that_nothing_is_fitted_on():
    words = divide_words(MANY, Split(), keep_apart=True, run=None)
    parts = Split().divide(MANY)
    assert words.to_guess == parts["test"]
    assert words.to_fit == parts["train"]
    assert "test split" in words.description


def test_without_an_agent_the_whole_list_is_guessed():
    words = divide_words(MANY, Split(), keep_apart=False, run=None)
    assert words.to_guess == words.to_fit == MANY.words


def test_a_short_list_is_guessed_whole_and_the_person_is_told():
    short = clean_words(["tea", "ox"], "a list")
    words = divide_words(short, Split(fractions=(1.0, 0.0, 0.0)), keep_apart=True, run=None)
    assert words.to_guess == words.to_fit == ("ox", "tea")
    assert "too few" in words.description


def test_a_short_list_is_refused_with_a_run_which_has_its_split():
    short = clean_words(["tea", "ox"], "a list")
    with pytest.raises(InputError, match=r"a list: 2 of its 2 words .* train split of a run"):
        divide_words(short, Split(fractions=(1.0, 0.0, 0.0)), keep_apart=True, run="a run")


def test_words_are_narrowed_by_length_and_then_by_difficulty():
    words = ("ox", "tea", "rate", "jazz", "vex", "fjord")
    assert narrow(words, (3, 4), None) == ("tea", "rate", "jazz", "vex")
    assert narrow(words, None, None) == words
    parts = [narrow(words, (2, 4), name) for name in ("easy", "medium", "hard")]
    assert sorted(sum(parts, ())) == sorted(set(words) - {"fjord"})
    with pytest.raises(InputError, match="7 to 9 letters; there are words of 2, 3, 4, 5"):
        narrow(words, (7, 9), None)


def test_a_seed_draws_each_word_once_and_the_same_words_again():
    drawn = list(islice(draw_words(MANY.words, 3), len(MANY)))
    assert sorted(drawn) == list(MANY.words)
    assert drawn == list(islice(draw_words(MANY.words, 3), len(MANY)))
    assert drawn != list(islice(draw_words(MANY.words, 4), len(MANY)))
    assert list(islice(draw_words(("a",), 0), 3)) == ["a", "a", "a"]
