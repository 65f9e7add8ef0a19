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
    [({3: 29, 5: 30, 8: 31}, [5, 8]), ({4: 3, 6: 29}, [4, 6])],
)
def test_lengths_with_few_games_are_left_out_of_the_plot_unless_all_have_few(games, shown):
    words = [length * "a" for length, number in games.items() for _ in range(number)]
    evaluation = evaluation_of(words, "random")
    figure = draw_plots(evaluation)["win_rate_by_length"]
    assert figure.axes[0].containers[0][0].get_xdata().tolist() == shown


# A single game, one length, no game.
@pytest.mark.parametrize("words", [("banana",), ("jazz", "quiz"), ()])
def test_very_few_games_have_a_page(words):
    page = make_page(words)
    assert page.count("<table>") >= (3 if words else 1)
    assert page.rstrip().endswith("</html>")
