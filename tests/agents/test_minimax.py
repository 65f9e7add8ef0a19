"""The guesser for the worst case, and its search, against plain recursions on small lists."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hosts import fewest_lives
from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.agents.minimax import (
    NO_WIN,
    UNKNOWN,
    WIN,
    MinimaxAgent,
    certain_win,
    search_tables,
)
from hangman_lab.agents.robust import RobustAgent
from hangman_lab.envs.encoding import ALPHABET, encode_words, letter_index
from hangman_lab.envs.hangman.observation import Observations, parse_observation
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play
from tests.agents.games import families, observe

LISTS = st.lists(st.text("abcdef", min_size=3, max_size=3), min_size=1, max_size=16, unique=True)


def can_win(words, misses, guessed=""):
    """Whether some letter wins after every answer, by trying all."""
    hidden = set("".join(words)) - set(guessed)
    return not hidden or any(
        all(
            can_win(family, misses - (not any(answer)), guessed + letter)
            for answer, family in families(words, letter).items()
            if any(answer) or misses > 0
        )
        and (misses > 0 or all(letter in word for word in words))
        for letter in hidden
    )


@settings(max_examples=50, deadline=None)
@given(LISTS)
def test_the_fewest_lives_are_those_of_the_recursion(words):
    index = search_tables(encode_words(words).codes)
    lives = fewest_lives(np.arange(len(words)), index, np.zeros((64, 3), np.int64))
    fewest = next(lives for lives in range(1, 27) if can_win(words, lives - 1))
    assert lives == (fewest, fewest)


@settings(max_examples=80, deadline=None)
@given(LISTS, st.integers(1, 5))
def test_an_agent_wins_every_word_where_a_win_is_certain(words, lives):
    # Duplicates have no effect.
    won = play(MinimaxAgent().fit(words * 2), words, Rules(lives)).won
    assert won.all() == can_win(words, lives - 1)


@settings(max_examples=80, deadline=None)
@given(LISTS)
def test_without_search_the_worst_family_is_the_smallest(words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.agents.minimax._BUDGET", 0)
        letter = ALPHABET[MinimaxAgent().fit(words).act_batch(observe("zzz", "", 1))[0]]
    ranks = {
        other: (
            max(map(len, families(words, other).values())),
            -sum(other in word for word in words),
            other,
        )
        for other in ALPHABET
    }
    assert ranks[letter] == min(ranks.values())


PAIRS = [first + second + "e" for first in "abcd" for second in "fghi"]
# They need a miss for each but the last.
SIMILAR = [letter + "ill" for letter in "bdfghjkmprstvwyz"]


@pytest.mark.parametrize(
    ("words", "misses", "budget", "expected"),
    [
        (PAIRS, 4, 10, UNKNOWN),
        (PAIRS, 4, 10**6, NO_WIN),
        (PAIRS, 6, 10**6, WIN),
        (SIMILAR, len(SIMILAR) - 2, len(SIMILAR), NO_WIN),
        (SIMILAR, len(SIMILAR) - 1, 10**6, WIN),
    ],
)
def test_the_search_stops_at_its_limit(words, misses, budget, expected):
    index, rows = search_tables(encode_words(words).codes), np.arange(len(words))
    # A table of two states replaces often.
    table = np.zeros((2, 3), np.int64)
    assert certain_win(rows, misses, index, table, np.array([budget]))[0] == expected


def test_a_search_that_was_stopped_is_not_remembered_as_lost():
    index, table = search_tables(encode_words(PAIRS).codes), np.zeros((64, 3), np.int64)
    limits = [np.array([budget, 0]) for budget in (30, 10**6)]
    results = [certain_win(np.arange(len(PAIRS)), 6, index, table, limit)[0] for limit in limits]
    assert results == [UNKNOWN, WIN]


def test_games_that_differ_in_lives_alone_may_get_other_letters():
    # A win needs a and two lives. With four, every letter wins, and p leaves two words at most.
    agent = MinimaxAgent().fit(["tap", "ace", "sat", "lap"])
    games = [parse_observation("___", max_wrong=lives) for lives in (1, 2, 3, 4)]
    batch = {name: np.concatenate([game[name] for game in games]) for name in games[0]}
    letters = [agent.act_batch(game)[0] for game in games]
    assert agent.act_batch(cast(Observations, batch)).tolist() == letters
    assert [ALPHABET[letter] for letter in letters] == list("aaap")


@pytest.mark.parametrize("pattern", ["qq_", "____"])
@pytest.mark.parametrize("agent", [MinimaxAgent(), RobustAgent(rounds=8)])
def test_where_no_word_matches_it_guesses_as_the_dictionary(agent, pattern):
    words = ["cat", "cot", "dog", "onion"]
    state = parse_observation(pattern)
    letter = agent.fit(words).act(state)[0]
    assert letter == DictionaryAgent().fit(words).act(state)[0] == letter_index("o")
