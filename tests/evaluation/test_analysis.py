"""Information, letters, calibration and limits, against plain computations."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agents import AGENTS, make_agent
from agents.base import PosteriorAgent
from agents.candidates import CandidateIndex
from envs.encoding import ALPHABET
from envs.words import WordList
from evaluation.analysis import (
    analyze,
    first_games,
    information_by_turn,
    information_gain,
    letters_by_turn,
    reliability,
    win_rate_by_limit,
)
from evaluation.arena import play
from evaluation.comparison import Match, compare_agents
from evaluation.replay import replay
from evaluation.statistics import guesses_in_order, mean_interval

LISTED = [
    *("apple", "ample", "amble", "jazz", "zebra", "quiz", "banana", "bandana", "rhythm", "onion"),
    *("union", "opinion", "tether", "letter", "better", "setter", "kettle", "settle", "a", "i"),
]


@pytest.fixture(scope="module")
def dictionary():
    return make_agent("dictionary").fit(LISTED[::2])


@pytest.fixture(scope="module")
def played(dictionary):
    return play(dictionary, LISTED)


def consistent(word, guessed, listed):
    """Return the words that look like ``word`` once the letters are guessed."""

    def look(other):
        return [letter if letter in guessed else "_" for letter in other]

    return [
        other
        for other in listed
        if look(other) == look(word) and not (set(guessed) - set(word)) & set(other)
    ]


def test_information_is_the_logarithm_of_the_words_that_drop_out(played):
    gains = information_gain(played, CandidateIndex(LISTED))
    for game in range(len(played)):
        word = played.words[played.word_index[game]]
        guesses = guesses_in_order(played, game)
        for turn in range(len(guesses)):
            before = consistent(word, guesses[:turn], LISTED)
            after = consistent(word, guesses[: turn + 1], LISTED)
            assert gains[game, turn] == pytest.approx(np.log2(len(before) / len(after)))
        assert np.isnan(gains[game, len(guesses) :]).all()


def test_a_won_game_has_gained_all_there_was_to_know(played):
    gains = information_gain(played, CandidateIndex(LISTED))
    lengths = [len(word) for word in LISTED]
    for game in np.flatnonzero(played.won):
        word = played.words[played.word_index[game]]
        assert np.nansum(gains[game]) == pytest.approx(np.log2(lengths.count(len(word))))


def test_a_secret_that_is_not_listed_cannot_be_weighed(played):
    with pytest.raises(ValueError, match="not in the list"):
        information_gain(played, CandidateIndex(["apple"]))


def test_information_by_turn_is_the_mean_of_the_games_that_go_on(played):
    gains = information_gain(played, CandidateIndex(LISTED))
    rows = information_by_turn(played, CandidateIndex(LISTED))
    assert [row["turn"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        values = gains[:, row["turn"] - 1]
        values = values[~np.isnan(values)]
        assert row["guesses"] == len(values)
        assert row["mean_bits"] == pytest.approx(values.mean())
        if len(values) > 1 and values.std() > 0:
            expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
            assert row["ci95"] == pytest.approx(expected)


def test_letters_by_turn_are_counted(played):
    counts = letters_by_turn(played)
    games = [guesses_in_order(played, game) for game in range(len(played))]
    for turn, row in enumerate(counts):
        guessed = [game[turn] for game in games if len(game) > turn]
        assert row == [guessed.count(letter) for letter in ALPHABET]


@given(st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 6)), min_size=2, max_size=60))
def test_the_interval_of_a_mean_agrees_with_statsmodels(rows):
    values = np.array([value for value, _ in rows])
    clusters = np.array([cluster for _, cluster in rows])
    mean, interval = mean_interval(values, clusters)
    assert mean == pytest.approx(values.mean())
    if len(set(clusters.tolist())) == 1:
        assert interval is None
        return
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.unique(clusters, return_inverse=True)[1]},
        use_t=True,
    )
    assert interval == pytest.approx(tuple(fitted.conf_int()[0]), abs=1e-9)


def test_reliability_holds_each_probability_against_what_was_hidden(dictionary, played):
    predictions = []
    for turn in replay(played):
        chances = dictionary.letter_probabilities(turn.before)
        for row, game in enumerate(turn.games):
            word = played.words[played.word_index[game]]
            for letter in range(26):
                if not turn.before["guessed"][row, letter]:
                    predictions.append((chances[row, letter], ALPHABET[letter] in word))
    chance, hidden = (np.array(column, dtype=float) for column in zip(*predictions, strict=True))
    result = reliability(played, dictionary, num_bins=10)
    assert result["predictions"] == len(predictions)
    assert result["brier"] == pytest.approx(((chance - hidden) ** 2).mean())
    assert sum(row["predictions"] for row in result["bins"]) == len(predictions)
    position = np.minimum(np.floor(chance * 10), 9)
    error = 0.0
    for row in result["bins"]:
        members = position == round(row["low"] * 10)
        assert row["predictions"] == members.sum()
        assert row["mean_probability"] == pytest.approx(chance[members].mean())
        assert row["share"] == pytest.approx(hidden[members].mean())
        low, high = row["ci95"]
        assert 0 <= low <= row["share"] <= high <= 1
        error += members.mean() * abs(chance[members].mean() - hidden[members].mean())
    assert result["expected_calibration_error"] == pytest.approx(error)


def test_a_dictionary_that_knows_the_secrets_is_calibrated_over_all_of_them():
    # Each state is met by just the words that are consistent with it, so that shares are exact.
    words = [word for word in LISTED if len(word) == 6]
    agent = make_agent("dictionary").fit(words)
    result = reliability(play(agent, words, max_wrong=26), agent)
    assert result["expected_calibration_error"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_that_do_not_use_their_lives_guess_the_same_under_any_limit(name):
    agent = make_agent(name, seed=1).fit(LISTED)
    played = play(agent, LISTED, repeats=3)
    figures = win_rate_by_limit(agent, played, repeats=3, limits=range(1, 13))
    for limit in range(1, 13):
        again = play(agent, LISTED, limit, repeats=3)
        assert figures[str(limit)]["games"] == len(again)
        assert figures[str(limit)]["wins"] == again.won.sum()


class CarefulAgent(PosteriorAgent):
    """Guesses from the end of the alphabet with its last life."""

    def act(self, observations, games=None):
        free = observations["guessed"] == 0
        last = 25 - free[:, ::-1].argmax(axis=1)
        return np.where(observations["lives"] == 1, last, free.argmax(axis=1))

    def letter_probabilities(self, observations):
        return np.where(observations["guessed"] == 0, 0.25, 0.0)


def test_agents_that_use_their_lives_are_played_once_a_limit():
    agent = CarefulAgent()
    played = play(agent, LISTED)
    figures = win_rate_by_limit(agent, played)
    for limit, row in figures.items():
        assert row["wins"] == play(agent, LISTED, int(limit)).won.sum()
    few = win_rate_by_limit(agent, played, max_words=5)
    assert {row["games"] for row in few.values()} == {5}


def test_the_first_games_are_those_of_some_words():
    played = play(make_agent("random"), LISTED, repeats=2)
    some = first_games(played, 7)
    assert len(some.words) == 7
    assert len(some) == 14
    whole = {}
    for game in range(len(played)):
        word = played.words[played.word_index[game]]
        whole.setdefault(word, []).append(guesses_in_order(played, game))
    for game in range(len(some)):
        word = some.words[some.word_index[game]]
        assert guesses_in_order(some, game) in whole[word]
    assert first_games(played, len(LISTED)) is played


def test_analysis_adds_what_plots_need():
    agents = {"careful": CarefulAgent(), "random": make_agent("random")}
    # The secrets are not all listed here; they are added.
    match = Match(agents, LISTED, WordList(LISTED[:3], "list", {}), "test")
    evaluation, played = compare_agents(match)
    analyze(match, evaluation, played)
    careful, other = (evaluation["agents"][name] for name in agents)
    assert {"by_limit", "information_gain", "letters_by_turn", "reliability"} <= careful.keys()
    assert "reliability" not in other
