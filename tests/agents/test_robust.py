"""The host who picks the word: replies, the solution of small games, and the agent's draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents.minimax import search_tables
from hangman_lab.agents.robust import RobustAgent, best_mixture, best_response, solve
from hangman_lab.envs.encoding import encode_words
from hangman_lab.evaluation.arena import play
from tests.agents.games import families, won_greedily

LISTS = st.lists(st.text("abcd", min_size=3, max_size=3), min_size=1, max_size=12, unique=True)


def arrays(words):
    return search_tables(encode_words(words).codes)


def most_won(words, weights, lives, guessed=""):
    """The most weight that any play wins."""
    letters = {*"".join(words)} - {*guessed}
    if lives == 0 or not letters:
        return sum(weights[word] for word in words) if lives else 0
    return max(
        sum(
            most_won(alike, weights, lives - (not any(places)), guessed + letter)
            for places, alike in families(words, letter).items()
        )
        for letter in letters
    )


@settings(max_examples=50, deadline=None)
@given(LISTS, st.data())
def test_a_reply_of_width_one_is_greedy_and_a_wide_one_wins_the_most(words, data):
    size, lives = len(words), data.draw(st.integers(1, 3))
    counts = data.draw(st.lists(st.integers(100, 200), min_size=size, max_size=size))
    weights = dict(zip(words, counts, strict=True))
    listed = arrays(words)._replace(weights=np.array(counts))
    won = best_response(listed, 1, lives)
    assert {word for word, is_won in zip(words, won, strict=True) if is_won} == won_greedily(
        words, weights, lives
    )
    assert np.array(counts) @ best_response(listed, 26, lives) == most_won(words, weights, lives)


def test_the_best_mixture_of_matching_pennies_is_even():
    assert best_mixture(np.eye(2, dtype=np.int64)) == pytest.approx([0.5, 0.5])
    # A strategy that wins less everywhere is not played.
    won = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert best_mixture(won) == pytest.approx([0.5, 0.5, 0])


def test_every_word_is_won_as_often_as_the_value_of_a_small_game():
    # With one life, each game wins the letter that is guessed first: one word of four.
    solution = solve(arrays(["aa", "bb", "cc", "dd"]), rounds=64, lives=1)
    assert solution.win_rates == pytest.approx([0.25] * 4, abs=0.02)
    assert solution.host == pytest.approx([0.25] * 4, abs=0.02)
    # The host's second weights, of which one word was won, count twice.
    won = np.exp(-np.sqrt(np.log(4) / 2))
    two = solve(arrays(["aa", "bb", "cc", "dd"]), rounds=2, lives=1)
    assert two.host.min() == pytest.approx((1 / 4 + 2 * won / (3 + won)) / 3)
    # With four lives, all of them.
    assert (solve(arrays(["aa", "bb", "cc", "dd"]), lives=4).win_rates == 1).all()


def test_each_key_draws_one_strategy_for_its_whole_game(real_words):
    words = [word for word in real_words if len(word) in (3, 4)]
    agent = RobustAgent(seed=2, rounds=70).fit(words)
    # More wins of a word than chance explains would be of other strategies than those solved.
    rates = {}
    for length, solution in agent.solutions_.items():
        listed = [word for word in words if len(word) == length]
        assert len(solution.weights) == 70
        rates |= dict(zip(listed, solution.win_rates, strict=True))
    games = np.mean([play(agent, words, repetition=k)["won"] for k in range(50)], axis=0)
    expected = np.array([rates[word] for word in words])
    assert np.abs(games - expected).max() < 5 * np.sqrt(0.25 / 50)
    assert abs(games.mean() - expected.mean()) < 0.02
    assert min(rates.values()) > 0
    # The same word and key are the same game, another key or seed is another.
    first = play(agent, words)["letters"].tolist()
    assert play(agent, words)["letters"].tolist() == first
    assert play(agent, words, repetition=1)["letters"].tolist() != first
    agent.seed = 3
    assert play(agent, words)["letters"].tolist() != first
