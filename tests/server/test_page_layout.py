"""How the web page looks: in narrow windows, in all colors, to assistive technology."""

import pytest

from tests.server.page import expect, key, outcome, settle, type_letters

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_played_by_touch_in_a_narrow_window(open_page, scheme):
    page = open_page(360, 740, has_touch=True, is_mobile=True, color_scheme=scheme)
    for letter in "xban":
        key(page, letter).tap()
        settle(page)
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    page.tap("#new-game")
    settle(page)
    page.tap("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    for tab in ("play", "watch", "leaderboard"):
        page.tap(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.tap("#tab-play")
    sizes = "all => all.map(one => one.getBoundingClientRect()).map(box => [box.width, box.height])"
    for box in page.locator("#play :is(button, select):visible:not(.key)").evaluate_all(sizes):
        assert min(box) >= 40, box
    # Ten keys are in a row, as on a phone's own keyboard.
    for width, height in page.locator("#play .key:visible").evaluate_all(sizes):
        assert width >= 32
        assert height >= 50


@pytest.mark.parametrize("width", [320, 360, 1200])
def test_a_word_of_20_letters_is_on_one_line(open_page, width):
    page = open_page(width, 740)
    page.evaluate(
        """() => import("/assets/board.js").then(({ Board }) => {
             const element = document.getElementById("play-board");
             element.replaceChildren();
             new Board(element).show({ word: "_".repeat(20), wrong: "", tries: 6, maxWrong: 6 });
           })"""
    )
    shown = page.locator("#play-board .place").evaluate_all(
        """all => all.map(one => [one.getBoundingClientRect(), getComputedStyle(one).fontSize])
             .map(([box, size]) => [Math.round(box.top), box.right, parseFloat(size)])"""
    )
    assert len(shown) == 20
    assert len({top for top, *_ in shown}) == 1
    assert shown[-1][1] <= width
    # It fills the line: a shorter word has larger letters.
    assert shown[0][2] > (10 if width < 700 else 20)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
@pytest.mark.parametrize("letters", ["xban", "acdefgh"])
def test_nothing_moves_from_the_first_guess_to_the_end(open_page, width, letters):
    page = open_page(width, 740, reduced_motion="reduce")
    page.click("#new-game")
    settle(page)

    def boxes():
        everything = page.locator(
            "#play :is(p, button, svg, details, select, .ending):not(.ending *)"
        )
        return everything.evaluate_all(
            "all => all.map(one => JSON.stringify(one.getBoundingClientRect()))"
        )

    before = boxes()
    page.click("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    settle(page)
    assert boxes() == before
    for letter in letters:
        type_letters(page, letter)
        assert boxes() == before
    # Nor does what the server refuses.
    page.evaluate("document.getElementById('problem').textContent = 'A problem. '.repeat(20)")
    assert boxes() == before


def test_the_end_is_animated_unless_motion_is_unwanted(open_page):
    for motion, animated in (("no-preference", True), ("reduce", False)):
        page = open_page(reduced_motion=motion)
        type_letters(page, "ban")
        letter = page.locator("#play-board.won .place").first
        expect(letter).to_have_css("animation-name", "hop" if animated else "none")


def test_forced_colors_keep_right_and_wrong_apart(open_page):
    page = open_page(forced_colors="active")
    type_letters(page, "ax")
    border = "one => getComputedStyle(one).borderStyle + getComputedStyle(one).borderWidth"
    borders = [key(page, letter).evaluate(border) for letter in "axb"]
    assert len(set(borders)) == 3


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"forced_colors": "active"}])
def test_axe_finds_nothing_serious(open_page, options):
    """axe-core checks the rules of the Web Content Accessibility Guidelines that a program can."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    # The page's own policy forbids scripts from elsewhere.
    page = open_page(bypass_csp=True, reduced_motion="reduce", **options)
    page.evaluate(axe.AXE_SCRIPT)

    def violations():
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        return [
            (one["id"], [node["html"] for node in one["nodes"]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    type_letters(page, "ax")
    page.click("#hint")
    settle(page)
    page.click("#account summary")
    # The rule of contrast leaves out what is disabled, as guessed letters are.
    enable = "all => all.forEach(one => one.removeAttribute('aria-disabled'))"
    page.locator(".key.right, .key.wrong").evaluate_all(enable)
    assert violations() == []
    page.click("#give-up")
    assert violations() == []
    page.click("#sure-yes")
    settle(page)
    assert violations() == []
    page.click("#tab-watch")
    expect(outcome(page, "watch-board")).not_to_be_empty()
    assert violations() == []
    page.click("#tab-leaderboard")
    page.locator("#leaderboard-empty:visible, #players tr").first.wait_for()
    assert violations() == []


def test_the_first_view_is_small(open_page):
    """Half a second at 200 kB/s, which leaves a second for connections and the server."""
    page = open_page()
    sizes = page.evaluate(
        """performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
             .map(one => one.transferSize)"""
    )
    assert len(sizes) >= 10
    assert sum(sizes) < 100_000
