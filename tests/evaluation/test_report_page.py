"""The report page: its content."""

import re

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.words import WordList
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.plots import draw_plots, merge_lengths
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.report_page import report_page
from hangman_lab.evaluation.statistics import win_rate

LISTED = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion", "counterrevolutionaries")


def make_page(words):
    agents = {name: make_agent(name).fit(LISTED) for name in ("dictionary", "random")}
    match = Match(agents, words, WordList(LISTED, "<b>list</b>", {}), "test")
    comparison = Comparison(match)
    comparison.calibrate()
    evaluation = comparison.to_dict()
    return report_page(evaluation, draw_plots(evaluation))


@pytest.fixture(scope="module")
def page():
    return make_page(LISTED)


def assert_self_contained(page):
    # URLs are names of XML namespaces alone.
    addresses = re.findall(r'(?:src|href|data|action)="([^"]*)"', page)
    addresses += re.findall(r"url\(([^)]*)\)", page)
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "@import" not in page
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_the_page_is_self_contained_has_every_table_and_escapes_names(page):
    assert_self_contained(page)
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
    ("games", "ranges"),
    [
        ({3: 10, 4: 25, 5: 30, 6: 29, 7: 40, 8: 29}, {"3-4": 35, "5": 30, "6-8": 98}),
        ({5: 30, 6: 30}, {"5": 30, "6": 30}),
        ({2: 1, 7: 3}, {"2-7": 4}),
        ({7: 3}, {"7": 3}),
        ({5: 30, 6: 1}, {"5-6": 31}),
    ],
)
def test_lengths_with_few_games_are_merged_in_the_plot(games, ranges):
    by_length = {str(length): win_rate(count // 2, count) for length, count in games.items()}
    merged = merge_lengths(by_length)
    assert {label: cell["games"] for label, cell in merged.items()} == ranges
    wins = sum(cell["wins"] for cell in by_length.values())
    assert sum(cell["wins"] for cell in merged.values()) == wins


# A single game, one length, no game.
@pytest.mark.parametrize("words", [("banana",), ("jazz", "quiz"), ()])
def test_very_few_games_have_a_page(words):
    page = make_page(words)
    assert page.count("<table>") >= (3 if words else 1)
    assert page.rstrip().endswith("</html>")
