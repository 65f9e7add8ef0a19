"""Agents on the same words, the words that stand out, and first letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels
from statsmodels.stats.proportion import proportion_confint

from agents import make_agent
from envs.encoding import ALPHABET
from evaluation.arena import PlayedGames, play
from evaluation.statistics import (
    compare_pairwise,
    describe_words,
    easiest_words,
    first_letters,
    guesses_in_order,
    mcnemar,
)

WORDS = ("apple", "jazz", "zebra", "a", "quiz", "banana", "rhythm", "onion")


def games(won, words=None, repeats=1):
    won = np.array(won, dtype=np.bool_)
    words = words or tuple(f"{ALPHABET[n // 26]}{ALPHABET[n % 26]}" for n in range(len(won)))
    return PlayedGames(
        words=tuple(words),
        word_index=np.repeat(np.arange(len(words)), repeats),
        won=won,
        wrong_guesses=np.where(won, 0, 6),
        letters=np.zeros((len(won), 1), dtype=np.int8),
        max_wrong=6,
        seconds=1.0,
    )


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_mcnemar_agrees_with_statsmodels(outcomes):
    first, second = (games(won) for won in zip(*outcomes, strict=True))
    table = [[0, 0], [0, 0]]
    for a, b in outcomes:
        table[not a][not b] += 1
    result = mcnemar(first, second)
    assert [
        [result["both_won"], result["only_first_won"]],
        [result["only_second_won"], result["neither_won"]],
    ] == table
    expected = mcnemar_of_statsmodels(table, exact=True).pvalue
    assert result["p_value"] == pytest.approx(expected, abs=1e-12)
    assert result["difference"] == pytest.approx(first.won.mean() - second.won.mean())


def test_a_word_that_was_played_often_counts_once():
    once = mcnemar(games([1, 0, 1]), games([0, 0, 1]))
    often = mcnemar(
        games([1, 0, 0, 0, 1, 1], words=("aa", "ab", "ac"), repeats=2),
        games([0, 1, 0, 1, 1, 0], words=("aa", "ab", "ac"), repeats=2),
    )
    assert often == once


def test_agents_that_played_other_words_cannot_be_compared():
    with pytest.raises(ValueError, match="same words"):
        mcnemar(games([1], words=("aa",)), games([1], words=("bb",)))


def test_every_two_agents_are_compared():
    played = {"x": games([1, 1]), "y": games([0, 0]), "z": games([0, 1])}
    pairs = [(pair["first"], pair["second"]) for pair in compare_pairwise(played)]
    assert pairs == [("x", "y"), ("x", "z"), ("y", "z")]


def test_the_easiest_words_are_won_most_with_fewest_wrong_guesses():
    played = games([1, 1, 0, 1], words=("abc", "zyxw", "no", "ab"))
    assert easiest_words(played, 10) == ["zyxw", "abc", "ab"]
    assert easiest_words(played, 1) == ["zyxw"]


def test_a_lost_word_is_told_letter_by_letter():
    played = play(make_agent("dictionary").fit(["tether", "better", "letter"]), ["jazz"])
    (described,) = describe_words(played, ["jazz"])
    assert described["wins"] == 0
    assert described["mean_wrong_guesses"] == 6
    assert described["guesses"].lower() == guesses_in_order(played, 0)
    absent = [letter for letter in described["guesses"] if letter.isupper()]
    assert len(absent) == 6
    assert not set("".join(absent).lower()) & set("jazz")


def test_first_letters_are_counted_with_their_hits():
    played = play(make_agent("random", 3), WORDS, repeats=50)
    described = first_letters(played)
    first = [guesses_in_order(played, game)[0] for game in range(len(played))]
    secrets = [played.words[index] for index in played.word_index]
    assert sum(row["games"] for row in described) == len(played)
    assert [row["games"] for row in described] == sorted(
        (row["games"] for row in described), reverse=True
    )
    for row in described:
        hits = [row["letter"] in word for word, x in zip(secrets, first, strict=True)
                if x == row["letter"]]  # fmt: skip
        assert (row["games"], row["hits"]) == (len(hits), sum(hits))
        assert row["share"] == len(hits) / len(played)
        assert row["ci95"] == pytest.approx(
            proportion_confint(sum(hits), len(hits), method="wilson")
        )


def test_without_a_game_there_is_no_first_letter():
    assert first_letters(play(make_agent("random"), [])) == []
