"""The report page: its content."""

import re

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.words import WordList
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.plots import draw_plots
from hangman_lab.evaluation.preparation import EvaluationSetup
from hangman_lab.evaluation.report_page import report_page

LISTED = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion", "counterrevolutionaries")


def evaluation_of(words, *names):
    agents = {name: make_agent(name).fit(LISTED) for name in names}
    comparison = Comparison(
        EvaluationSetup(agents, words, WordList(LISTED, "<b>list</b>", {}), "test")
    )
    comparison.calibrate()
    return comparison.to_dict()


def make_page(words):
    evaluation = evaluation_of(words, "dictionary", "random")
    return report_page(evaluation, draw_plots(evaluation))


def test_the_page_is_self_contained_has_every_table_and_escapes_names():
    page = make_page(LISTED)
    addresses = re.findall(r'(?:src|href|data|action)="([^"]*)"', page)
    assert addresses
    assert all(address.startswith("data:") for address in addresses)
    assert not re.search(r"@import|url\(", page)
    assert "<b>list</b>" not in page
    for text in (
        "<h1>Hangman-v0: dictionary and random on unseen words</h1>",
        "&lt;b&gt;list&lt;/b&gt;",
        "win rate by word length, unseen words",
        "pairwise, on the same unseen words",
        "hardest unseen words for random",
    ):
        assert text in page


@pytest.mark.parametrize(
    ("games", "shown"),
    [({3: 29, 5: 30, 8: 31}, [5, 8]), ({4: 3, 6: 29}, [4, 6]), ({4: 3, 9: 30}, [9]), ({9: 1}, [9])],
)
def test_lengths_with_few_games_are_left_out_of_the_plot_unless_all_have_few(games, shown):
    words = [length * "a" for length, number in games.items() for _ in range(number)]
    evaluation = evaluation_of(words, "random")
    figure = draw_plots(evaluation)["win_rate_by_length"]
    (axes,) = figure.axes
    assert axes.containers[0][0].get_xdata().tolist() == shown
    assert ("without lengths of fewer than 30" in figure.get_supxlabel()) == (shown != [*games])
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert {min(ticks), max(ticks)} == {*shown}
    assert all(tick == int(tick) for tick in ticks)


@pytest.mark.parametrize("num_agents", [1, 13])
def test_the_points_of_a_length_lie_beside_its_number(num_agents):
    evaluation = evaluation_of(["jazz", "apple"], "random")
    agents = {f"agent {number}": evaluation["agents"]["random"] for number in range(num_agents)}
    (axes,) = draw_plots(evaluation | {"agents": agents})["win_rate_by_length"].axes
    assert [len(drawn[0].get_xdata()) for drawn in axes.containers] == [2] * num_agents
    for drawn in axes.containers:
        assert [round(x) for x in drawn[0].get_xdata()] == [4, 5]


def test_the_curves_of_agents_without_a_posterior_have_a_true_title():
    figure = draw_plots(evaluation_of(LISTED, "dictionary"))["reliability"]
    title = figure.axes[0].get_title(loc="left")
    assert title == "Reliability of letter probabilities, unseen words"


# A single game, one length, no game.
@pytest.mark.parametrize("words", [("banana",), ("jazz", "quiz"), ()])
def test_very_few_games_have_a_page(words):
    page = make_page(words)
    assert page.count("<table>") >= (3 if words else 1)
    assert page.rstrip().endswith("</html>")
