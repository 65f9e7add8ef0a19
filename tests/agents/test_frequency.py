"""The frequency guessers against plain transcriptions of the 2010 article."""

from __future__ import annotations

import numpy as np
import pytest

from agents.frequency import OverallFrequencyAgent, TopHeavyFrequencyAgent
from envs.encoding import decode
from envs.hangman.observation import parse_observation


def words_left(words, shown, guessed):
    """Filter as ``WordWithFilter`` and ``WordWithoutFilter`` do, one guess after the other."""
    words = [word for word in words if len(word) == len(shown)]
    for letter in guessed:
        places = [place for place, other in enumerate(shown) if other == letter]
        if places:
            words = [word for word in words if all(word[place] == letter for place in places)]
        else:
            words = [word for word in words if letter not in word]
    return words


def count(letters, guessed):
    counts = {}
    for letter in letters:
        if letter not in guessed:
            counts[letter] = counts.get(letter, 0) + 1
    return counts


def overall_frequency(words, shown, guessed):
    return count("".join(words), guessed)


def top_heavy_frequency(words, shown, guessed):
    highest, best = -1, {}
    for place, letter in enumerate(shown):
        if letter != "_":
            continue
        counts = count([word[place] for word in words], guessed)
        values = sorted(counts.values(), reverse=True)
        skew = sum(values[: len(values) // 2]) / sum(values)
        if skew > highest:
            highest, best = skew, counts
    return best


@pytest.mark.parametrize(
    ("agent", "source"),
    [
        (OverallFrequencyAgent(), overall_frequency),
        (TopHeavyFrequencyAgent(), top_heavy_frequency),
    ],
)
def test_letters_are_weighted_as_in_the_source(agent, source, real_words, play_some):
    secrets = real_words[::13]
    observations = play_some(secrets, turns=np.arange(len(secrets)) % 9)
    scores = agent.fit(real_words).letter_scores(observations)
    compared = 0
    for game, word in enumerate(observations["word"]):
        shown = decode(word)
        if "_" not in shown:
            continue
        guessed = [chr(97 + k) for k in np.flatnonzero(observations["guessed"][game])]
        expected = source(words_left(real_words, shown, guessed), shown, guessed)
        got = {chr(97 + k): int(scores[game, k]) for k in np.flatnonzero(scores[game])}
        assert got == expected, shown
        compared += 1
    assert compared > 300


def test_the_steepest_place_decides_and_not_the_most_frequent_letter():
    # At the last place s has 4 of 5, so that half of two letters has 0.8; at the first place half
    # of five letters has 0.4, though e stands in the words more often than any other letter.
    words = ("eees", "beas", "ceos", "deis", "feet")
    observation = parse_observation("____")
    assert OverallFrequencyAgent(greedy=True).fit(words).act(observation)[0] == 4
    places = TopHeavyFrequencyAgent().fit(words).letter_scores(observation)[0]
    # The second place has a single letter, so its skew is 0.
    assert dict(zip("st", places[[18, 19]], strict=True)) == {"s": 4, "t": 1}
    assert places.sum() == 5


def test_draws_follow_the_frequencies():
    words = ("ab", "ac", "ad", "ba")
    games = 20_000
    observation = parse_observation("__", wrong="d")
    batch = {name: np.repeat(value, games, axis=0) for name, value in observation.items()}
    letters = OverallFrequencyAgent(seed=1).fit(words).act(batch)
    shares = np.bincount(letters, minlength=4)[:4] / games
    np.testing.assert_allclose(shares, [3 / 6, 2 / 6, 1 / 6, 0], atol=0.015)


def test_the_seed_changes_the_draws_and_nothing_else(real_words):
    observation = parse_observation("______")
    batch = {name: np.repeat(value, 200, axis=0) for name, value in observation.items()}
    first, again, other = (
        TopHeavyFrequencyAgent(seed=seed).fit(real_words).act(batch) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_without_a_word_that_is_left_the_whole_list_decides():
    agent = OverallFrequencyAgent(greedy=True).fit(("tree", "street"))
    assert agent.act(parse_observation("_x__", wrong="e"))[0] == ord("t") - ord("a")
