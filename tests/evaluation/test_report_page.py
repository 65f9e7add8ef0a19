"""The report page: its content, and how a browser shows it."""

import re
import shutil

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.words import WordList
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.plots import draw_plots
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.report_page import report_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# What the browser has laid out.
LAYOUT = """() => {
  const svgs = [...document.querySelectorAll("svg")];
  return {
    page: document.documentElement.scrollWidth,
    scrolling: [...document.querySelectorAll(".wide")]
      .filter(box => box.scrollWidth > box.clientWidth).length,
    images: [...document.images].map(image => image.complete && image.naturalWidth > 0),
    plots: svgs.map(svg => svg.getBoundingClientRect()).map(box => [box.width, box.height]),
    missing: svgs.flatMap(svg => [...svg.querySelectorAll("use")]
      .map(use => use.href.baseVal)
      .filter(href => !document.querySelector(href))),
  };
}"""
LISTED = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion", "counterrevolutionaries")


def make_page(words, names=("dictionary", "random")):
    agents = {name: make_agent(name).fit(LISTED) for name in names}
    match = Match(agents, words, WordList(LISTED, "<b>list</b>", {}), "test")
    comparison = Comparison(match)
    comparison.analyze()
    evaluation = comparison.to_dict()
    return report_page(evaluation, draw_plots(evaluation))


@pytest.fixture(scope="module")
def page():
    return make_page(LISTED)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian: chromium)")
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_shows_the_page_without_horizontal_scrolling(page, width, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    file, requests = tmp_path / "page.html", []
    file.write_text(page)
    with sync_api.sync_playwright() as playwright:
        options = {"executable_path": CHROMIUM, "args": ["--no-sandbox", "--disable-gpu"]}
        window = playwright.chromium.launch(**options).new_page(
            viewport={"width": width, "height": 900}
        )
        window.on("request", lambda request: requests.append(request.url))
        window.goto(file.as_uri())
        seen = window.evaluate(LAYOUT)
    assert seen["page"] <= width
    assert seen["scrolling"] == 0
    assert all(seen["images"])
    assert len(seen["plots"]) == page.count("<figure>") >= 3
    for plot_width, plot_height in seen["plots"]:
        assert 300 < plot_width <= width
        assert plot_height > 150
    assert seen["missing"] == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]


def assert_self_contained(page):
    # What begins with http is the name of an XML namespace, never an address.
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
        "&lt;b&gt;list&lt;/b&gt;",
        "win rate by word length, unseen words",
        "pairwise, on the same unseen words",
        "hardest unseen words for random",
        "letters guessed first",
    ):
        assert text in page


# A single game, one length, no game.
@pytest.mark.parametrize("words", [("banana",), ("jazz", "quiz"), ()])
def test_very_few_games_have_a_page(words):
    page = make_page(words)
    assert page.count("<table>") >= (3 if words else 1)
    assert page.rstrip().endswith("</html>")


def test_a_page_of_games_without_a_win_has_no_easiest_words():
    page = make_page(("jazz", "rhythm"), names=("random",))
    assert "hardest unseen words for random" in page
    assert "easiest" not in page
