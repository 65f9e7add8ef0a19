"""Reviews of games, compared with a game worked out by hand."""

import numpy as np
import pandas as pd
import pytest

import hangman_lab
from hangman_lab.agents.dictionary import DictionaryAgent, RandomAgent
from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.word_sets import index_words
from hangman_lab.evaluation import review
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.reviews import review_games, summarize_review
from hangman_lab.evaluation.statistics import share_interval
from tests.agents.posterior.priors import posterior_of

WORDS = ("bad", "bag", "bat", "bed", "bet", "cat", "cot", "dog", "hat", "mug")
AGENT = DictionaryAgent().fit(WORDS)
COLUMNS = ["shown", "letter", "probability", "best_letter", "best_probability", "dominated"]


def test_a_game_worked_out_by_hand():
    # 5 of 10 words have a, b or t; a is the first in the alphabet. Of bad, bag, bat, cat and hat,
    # none has e, 3 have b and t; of bad, bag and bat, a has been shown.
    table = review("bat", "aebagt", AGENT, WORDS)
    expected = [
        ("___", "a", 0.5, "a", 0.5, False),
        ("_a_", "e", 0.0, "b", 0.6, True),
        ("_a_", "b", 0.6, "b", 0.6, False),
        ("ba_", "a", 0.0, "d", 1 / 3, True),
        ("ba_", "g", 1 / 3, "d", 1 / 3, False),
        ("ba_", "t", 0.5, "d", 0.5, False),
    ]
    pd.testing.assert_frame_equal(table[COLUMNS], pd.DataFrame(expected, columns=COLUMNS))
    assert list(table["turn"]) == [1, 2, 3, 4, 5, 6]
    assert "".join(table["agent_letter"]) == "abbddd"
    summary = summarize_review(table)
    assert summary["mean_probability"] == pytest.approx((0.5 + 0.6 + 1 / 3 + 0.5) / 6)
    assert summary["mean_agent_probability"] == pytest.approx((1.7 + 2 / 3 + 0.5) / 6)
    assert summary["given_up"] == pytest.approx((0.6 + 1 / 3) / 6)
    assert (summary["games"], summary["guesses"], summary["dominated"]) == (1, 6, 2 / 6)


def test_the_best_letter_is_the_posterior_s_also_in_a_running_game_and_many_games(real_words):
    posterior = posterior_of(sorted(real_words[::9], key=len))
    running = review("_a_", "ea", posterior, WORDS)
    finished = review("bat", "ea", posterior, index_words(WORDS))
    pd.testing.assert_frame_equal(running, finished)
    played = play(AGENT, real_words[:40])
    words, letters, rules = list(played["word"]), list(played["letters"]), Rules()
    table = review_games(posterior, WORDS, words, letters, rules)
    for row in table.itertuples():
        before = Game(words[row.game], rules, letters[row.game][: row.turn - 1])
        chances = posterior.letter_probabilities(before.observations)[0]
        assert (row.shown, row.letter) == (before.word, letters[row.game][row.turn - 1])
        assert row.best_letter == row.agent_letter == ALPHABET[chances.argmax()]
        assert row.probability == pytest.approx(chances[letter_index(row.letter)])
        assert row.best_probability == pytest.approx(chances.max())
    assert len(table) == played["guesses"].sum()
    # No word of these lengths is listed: none fits, and no guess is dominated.
    long = played["length"] > 3
    assert not table.loc[table["game"].isin(np.flatnonzero(long)), "dominated"].any()


def test_an_interval_of_numbers_is_as_wide_as_student_s():
    numbers = np.random.default_rng(0).beta(5, 5, 400)
    mean, (low, high) = share_interval(numbers, np.arange(400))
    half = 1.966 * numbers.std(ddof=1) / 20
    assert (mean - low, high - mean) == pytest.approx((half, half), rel=0.02)


@pytest.mark.parametrize(
    ("word", "letters", "message"),
    [
        ("Bat", "a", "word: 'Bat' is not 1 to 32 letters a to z, or _ if hidden"),
        ("", "a", "word: ''"),
        ("b?t", "a", "word: 'b?t'"),
        (None, "a", "word: None"),
        ("bat", "", "letters: '' is not one or more letters a to z"),
        ("bat", "a b", "letters: 'a b'"),
        ("bat", ["a"], "letters: "),
        ("_at", "a", "word: '_at' shows 't', which is not in letters"),
        ("bat", "batx", "letters: 'batx' goes on after the end of the game at 3"),
        ("bat", "defghijk", "letters: 'defghijk' goes on after the end of the game at 6"),
        ("___", "eeeeeef", "letters: 'eeeeeef' goes on after the end of the game at 6"),
    ],
)
def test_bad_games_are_one_line(word, letters, message):
    with pytest.raises(InputError, match="^" + message.replace("?", r"\?")):
        review(word, letters, AGENT, WORDS)


def test_rules_and_agents_are_checked():
    assert len(review("___", "eeeeeef", AGENT, WORDS, repeated_guess="free")) == 7
    assert len(review("bat", "defghijk", AGENT, WORDS, max_wrong=8)) == 8
    with pytest.raises(InputError, match="max_wrong: 0"):
        review("bat", "a", AGENT, WORDS, max_wrong=0)
    with pytest.raises(InputError, match=r"agent: .* has no letter probabilities"):
        review("bat", "a", RandomAgent(), WORDS)
    with pytest.raises(InputError, match="known: "):
        review("bat", "a", AGENT, WORDS, known=0.3)
    assert hangman_lab.evaluation.review is review
