"""Agents that count letters: shares of words by regular expressions, and samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents import dictionary
from hangman_lab.agents.dictionary import DictionaryAgent, OverallFrequencyAgent, RandomAgent
from hangman_lab.envs.encoding import ALPHABET, decode, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import parse_observation, select
from tests.agents.games import letters_of, matching, observe


@settings(max_examples=150)
@given(
    st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=150),
    st.text("abcd", min_size=1, max_size=4),
    st.lists(st.sampled_from("abcde"), max_size=4, unique=True),
)
def test_each_word_that_matches_is_equally_likely_or_any_word_if_none_does(listed, secret, letters):
    game = observe(secret, letters)
    pattern, guessed = decode(game["word"][0]), game["guessed"][0]
    words = matching(listed, pattern, letters_of(guessed)) or listed
    expected = [sum(letter in word for word in words) / len(words) for letter in ALPHABET]
    expected = np.where(guessed, 0, expected)
    probabilities = DictionaryAgent().fit(listed).letter_probabilities(game)
    assert probabilities[0] == pytest.approx(expected)


def test_words_count_by_the_probability_with_which_people_choose_them(monkeypatch):
    people = {"cat": 0.5, "car": 0.3, "dog": 0.2}
    monkeypatch.setattr(dictionary, "people_words", lambda: list(people))
    monkeypatch.setattr(
        dictionary,
        "people_probabilities",
        lambda words: np.array([people.get(w, 0) for w in words]),
    )
    # "car" and "dog" are listed because people choose them.
    agent = DictionaryAgent(common=0.8).fit(["cat", "cot", "cub"])
    (found,) = agent.letter_probabilities(observe("cat", "c"))
    weights = {"cat": 0.2 / 3 + 0.4, "cot": 0.2 / 3, "cub": 0.2 / 3, "car": 0.24}
    for letter in "atourb":
        expected = sum(weights[word] for word in weights if letter in word) / sum(weights.values())
        assert found[letter_index(letter)] == pytest.approx(expected)
    agent = DictionaryAgent(common=1.0).fit(["cat", "cot"])
    # Sums, and so ties, are the same in every process.
    listed = list(map(decode, agent.index_.codes))
    assert listed == sorted(sorted(listed), key=len)
    (found,) = agent.letter_probabilities(observe("cat", ""))
    assert found[letter_index("o")] == pytest.approx(0.2)
    with pytest.raises(InputError, match=r"^common: 2 is not a number in 0\.\.1"):
        DictionaryAgent(common=2)


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 129])
def test_lists_of_any_size_are_counted(number):
    agent = DictionaryAgent().fit(["cot", *["cat"] * number])
    (probabilities,) = agent.letter_probabilities(observe("cat", "c"))
    assert probabilities[letter_index("a")] == pytest.approx(number / (number + 1))


def test_samples_follow_the_frequencies():
    listed = OverallFrequencyAgent(seed=1).fit(("ab", "ac", "ad", "ba"))
    for agent, pattern, wrong, expected in (
        (listed, "__", "d", [3 / 6, 2 / 6, 1 / 6]),
        (RandomAgent(seed=1), "___", ALPHABET[3:24], [1 / 5, 1 / 5, 1 / 5]),
    ):
        state = parse_observation(pattern, wrong, max_wrong=26)
        batch = select(state, np.zeros(20_000, dtype=np.int64))
        shares = np.bincount(agent.act(batch), minlength=26) / 20_000
        np.testing.assert_allclose(shares[:3], expected, atol=0.015)


def test_if_no_word_matches_shown_letters_may_repeat_and_then_the_whole_list_decides():
    agent, literal = (DictionaryAgent(each).fit(["noon", "nine", "oboe"]) for each in (False, True))
    repeats, unlisted = parse_observation("n___", "i"), parse_observation("q___")
    for scores, expected in (
        (agent.letter_scores(repeats), {"o": 1}),
        (agent.letter_scores(unlisted), {"b": 1, "e": 2, "i": 1, "n": 2, "o": 2}),
        # The benchmark ignores wrong letters, too.
        (literal.letter_probabilities(repeats), {"e": 0.5, "o": 0.5}),
    ):
        counts = zip(ALPHABET, scores[0], strict=True)
        assert {letter: count for letter, count in counts if count} == expected
