import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.encoding import ALPHABET
from envs.errors import InputError
from playing.difficulty import DIFFICULTIES, select_difficulty, wrong_guesses_by_frequency

word_lists = st.lists(st.text("abcdefgxyz", min_size=1, max_size=8), min_size=3, unique=True)


def play_by_frequency(words):
    """The rule as it is told: letters in the order of how many words have them."""
    have = Counter(letter for word in words for letter in set(word))
    order = sorted(ALPHABET, key=lambda letter: (-have[letter], letter))
    wrong = {}
    for word in words:
        hidden, wrong[word] = set(word), 0
        for letter in order:
            if not hidden:
                break
            wrong[word] += letter not in hidden
            hidden.discard(letter)
    return wrong


@settings(max_examples=60)
@given(word_lists)
def test_wrong_guesses_are_those_of_somebody_who_goes_by_frequency(words):
    expected = play_by_frequency(words)
    assert wrong_guesses_by_frequency(words).tolist() == [expected[word] for word in words]


@settings(max_examples=60)
@given(word_lists)
def test_the_three_difficulties_are_thirds_in_the_order_of_wrong_guesses(words):
    parts = [select_difficulty(words, difficulty) for difficulty in DIFFICULTIES]
    assert sorted(word for part in parts for word in part) == sorted(words)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    wrong = play_by_frequency(words)
    for easier, harder in itertools.pairwise(parts):
        assert max(wrong[word] for word in easier) <= min(wrong[word] for word in harder)


def test_the_order_of_the_list_has_no_effect():
    words = ["fjord", "relation", "jazz", "tea", "rate", "vex"]
    for difficulty in DIFFICULTIES:
        part = set(select_difficulty(words, difficulty))
        assert part == set(select_difficulty(words[::-1], difficulty))
    assert "jazz" in select_difficulty(words, "hard")
    assert "tea" in select_difficulty(words, "easy")


def test_too_few_words_are_refused():
    with pytest.raises(InputError, match="2 words cannot be cut"):
        select_difficulty(["a", "b"], "easy")
