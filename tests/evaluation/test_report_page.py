"""The report page: its content, and how a browser shows it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.words import WordList
from hangman_lab.evaluation.analysis import analyze
from hangman_lab.evaluation.comparison import compare_agents
from hangman_lab.evaluation.plots import draw_plots
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.report_page import report_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Written into a copy of the page: what the browser has laid out, as an attribute of its root.
PROBE = """<script>addEventListener("load", () => {
  const svgs = [...document.querySelectorAll("svg")];
  const report = {
    window: innerWidth,
    page: document.documentElement.scrollWidth,
    scrolling: [...document.querySelectorAll(".wide")]
      .filter(box => box.scrollWidth > box.clientWidth).length,
    images: [...document.images].map(image => image.complete && image.naturalWidth > 0),
    plots: svgs.map(svg => svg.getBoundingClientRect()).map(box => [box.width, box.height]),
    missing: svgs.flatMap(svg => [...svg.querySelectorAll("use")]
      .map(use => use.href.baseVal)
      .filter(href => !document.querySelector(href))),
    requests: performance.getEntriesByType("resource").map(entry => entry.name)
      .filter(name => !name.startsWith("data:")),
  };
  (parent || window).postMessage(report, "*");
});</script>"""
FRAME = """<!DOCTYPE html><body style="margin:0">
<script>addEventListener("message", event => {
  document.documentElement.dataset.report = JSON.stringify(event.data);
});</script>
<iframe src="page.html" style="border:0;width:%dpx;height:900px"></iframe></body>"""
LISTED = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion", "counterrevolutionaries")


def make_page(words, names=("dictionary", "random")):
    agents = {name: make_agent(name).fit(LISTED) for name in names}
    match = Match(agents, words, WordList(LISTED, "<b>list</b>", {}), "test")
    evaluation, played = compare_agents(match)
    analyze(match, evaluation, played)
    return report_page(evaluation, draw_plots(evaluation))


@pytest.fixture(scope="module")
def page():
    return make_page(LISTED)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian: chromium)")
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_shows_the_page_without_horizontal_scrolling(page, width, tmp_path):
    (tmp_path / "page.html").write_text(page.replace("</body>", PROBE + "</body>"))
    (tmp_path / "frame.html").write_text(FRAME % width)
    seen = open_in_browser(tmp_path / "frame.html", width, tmp_path / "profile")
    assert seen["window"] == width
    assert seen["page"] <= width
    assert seen["scrolling"] == 0
    assert all(seen["images"])
    assert len(seen["plots"]) == page.count("<figure>") >= 3
    for plot_width, plot_height in seen["plots"]:
        assert 300 < plot_width <= width
        assert plot_height > 150
    assert seen["missing"] == []
    assert seen["requests"] == []


def open_in_browser(file: Path, width: int, profile: Path) -> dict:
    """Return the output of the probe in a page."""
    # A browser window is at least 500 pixels wide; the frame in it has the width that is asked for.
    options = (
        "headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", "host-resolver-rules=MAP * ~NOTFOUND",
        f"user-data-dir={profile}", f"window-size={max(width, 500)},900", "dump-dom",
    )  # fmt: skip
    command = [CHROMIUM, *(f"--{option}" for option in options), file.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    (report,) = re.findall(r'data-report="([^"]*)"', shown)
    return json.loads(report.replace("&quot;", '"').replace("&amp;", "&"))


def test_the_page_is_self_contained(page):
    # What begins with http is the name of an XML namespace, never an address.
    addresses = re.findall(r'(?:src|href|data|action)="([^"]*)"', page) + re.findall(
        r"url\(([^)]*)\)", page
    )
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "@import" not in page


def test_no_two_elements_have_the_same_id(page):
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_the_page_has_every_table_and_escapes_names(page):
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
