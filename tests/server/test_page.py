"""The web page in a browser: whole visits, layout and accessibility."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from hangman_lab.agents import DictionaryAgent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import parse_observation
from tests.server.load import add_token, serving

pytestmark = pytest.mark.slow
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
# A busy machine may take seconds.
expect.set_options(timeout=30_000)


def settle(page):
    expect(page.locator("#play:not([aria-busy])")).to_be_visible()


def reload(page):
    page.reload()
    settle(page)


def type_letters(page, letters):
    page.keyboard.type(letters)
    settle(page)


def new_word(page):
    page.click("#new-game")
    settle(page)


def outcome(page, board="play-board"):
    return page.locator(f"#{board} .outcome")


def key(page, letter):
    return page.locator(f"#play-board .key[data-letter={letter}]")


def figures_of(page):  # games played, win rate, streak of wins, best streak, streak of days
    return page.locator("#figures dd").all_text_contents()


def test_a_visitor_wins_and_loses_with_the_keyboard_alone(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator("#introduction[open]")).to_contain_text("Hints are by dictionary")
    page.evaluate("addEventListener('keydown', event => (prevented = event.defaultPrevented))")
    for part in (".word", ".keys"):
        assert page.locator(f"#play-board {part}").get_attribute("translate") == "no"
    tries = expect(page.locator("#play-board .tries"))
    said = page.locator("#play-board .said")
    expect(said).to_have_text("Word of 6 letters: " + ", ".join(["blank"] * 6))
    type_letters(page, "xxA")
    expect(said).to_have_text("Word of 6 letters: blank, a, blank, a, blank, a")
    expect(outcome(page)).to_have_text("a is in the word, 3 times.")
    assert page.evaluate("prevented")
    assert key(page, "x").get_attribute("aria-label") == "x, not in the word"
    tries.to_have_text("5 tries left; the 6th wrong guess loses")
    key(page, "b").focus()
    page.keyboard.press("Space")
    settle(page)
    assert page.evaluate("document.activeElement.textContent.trim()[0]") == "b"
    type_letters(page, "n")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    tries.to_have_text("Wrong: x")
    page.click("#share")
    expect(page.locator("#share")).to_have_text("Copied")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert re.match(r"Hangman Lab, 2\d{3}-\d\d-\d\d: the word of the day, won with 1 wrong", text)
    # Orange and blue.
    assert "\U0001f7e7\U0001f7e6\U0001f7e6\U0001f7e6" in text
    assert "banana" not in text
    # The letters are hidden after the end, so that Enter begins the next word.
    page.focus("#new-game")
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    type_letters(page, "xyzcde")
    expect(outcome(page)).to_have_text("Lost: the word was banana.")
    expect(said).to_have_text("Word of 6 letters: b, a, n, a, n, a")
    tries.to_have_text("Wrong: x y z c d e")
    expect(page.locator("#play-board .place.missed")).to_have_count(6)
    expect(page.locator("#play-board .figure > .shown")).to_have_count(6)
    expect(page.locator("#figures dt")).to_have_text(["Played", "Won", "Streak", "Best", "Days"])
    assert figures_of(page) == ["2", "50%", "0", "1", "1"]
    assert page.locator("#spread").get_attribute("aria-label") == (
        "0 wrong: 0, 1 wrong: 1, 2 wrong: 0, 3 wrong: 0, 4 wrong: 0, 5 wrong: 0, "
        "with a hint: 0, not won: 1"
    )
    # The introduction has been read.
    reload(page)
    expect(page.locator("#introduction:not([open])")).to_be_visible()


def move_to_day(page, path, day):
    """Make the game that is shown the player's word of a day."""
    with closing(sqlite3.connect(path)) as connection, connection:
        game = page.evaluate("localStorage['hangman-game']")
        connection.execute("UPDATE games SET request_key = ? WHERE id = ?", (f"day {day}", game))


def test_the_word_of_the_day_is_played_once_a_day(open_page, page_server):
    _, path = page_server
    page = open_page()
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#play-note")).to_contain_text("The word of the day")
    type_letters(page, "xban")
    expect(page.locator("#play-note")).to_contain_text(re.compile(r"comes in \d+ h \d+ min"))
    others = {"players": 12, "wrong_guesses": [0, 1, 5, 2, 0, 0]}
    page.route(
        "**/api/v1/daily", lambda route: route.fulfill(json={**route.fetch().json(), **others})
    )
    for again in (lambda: reload(page), lambda: page.click("#daily")):
        again()
        expect(outcome(page)).to_have_text("You won: the word is banana.")
        said = "8 players of 12 found it, most often with 2 wrong guesses. The next one comes in"
        expect(page.locator("#play-note")).to_contain_text(said)
    # Today's word replaces an unfinished word of an earlier day.
    new_word(page)
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "false")
    move_to_day(page, path, "2000-01-01")
    reload(page)
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "true")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    assert figures_of(page)[0] == "1"


def set_streak(page, days, days_ago):
    last = f"{datetime.now(UTC).date() - timedelta(days_ago)}"
    tally = {"spread": {2: days}, "streak": days, "best": days, "days": days, "lastDay": last}
    page.evaluate("tally => localStorage['hangman-tally'] = tally", json.dumps(tally))


def test_a_game_counts_once_in_two_tabs(open_page):
    page = open_page()
    set_streak(page, 5, days_ago=1)
    other = page.context.new_page()
    other.goto(page.url)
    settle(other)
    type_letters(page, "ban")
    assert figures_of(page) == ["6", "100%", "6", "6", "6"]
    # The other tab is told, and guesses on all the same.
    expect(other.locator("#streak")).to_have_text("Streak 6, 6 days in a row")
    expect(other.locator("#figures")).to_be_visible()
    type_letters(other, "x")
    for each in (page, other):
        reload(each)
        assert figures_of(each) == ["6", "100%", "6", "6", "6"]
    # A lost game, which is given up in one tab and left in the other.
    new_word(page)
    type_letters(page, "x")
    reload(other)
    page.click("#give-up")
    page.click("#sure-yes")
    settle(page)
    other.click("#new-game")
    settle(other)
    reload(page)
    spread = page.evaluate("JSON.parse(localStorage['hangman-tally']).spread")
    assert spread == {"0": 1, "2": 5, "lost": 1}


@pytest.mark.parametrize("reloaded", [False, True])
def test_a_word_of_the_day_counts_for_its_day_after_midnight(open_page, page_server, reloaded):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    midnight = datetime.combine(datetime.now(UTC).date(), datetime.min.time(), UTC)
    yesterday = f"{midnight.date() - timedelta(1)}"
    set_streak(page, 3, days_ago=2)
    move_to_day(page, page_server[1], yesterday)
    page.clock.install(time=midnight - timedelta(minutes=1))
    last_minute = {"date": yesterday, "seconds_left": 60}
    page.route(
        "**/api/v1/daily", lambda route: route.fulfill(json={**route.fetch().json(), **last_minute})
    )
    reload(page)
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "true")
    type_letters(page, "ba")
    page.unroute_all(behavior="wait")
    page.clock.run_for(120_000)
    if reloaded:
        reload(page)
        expect(outcome(page)).to_have_text("Your game continues.")
    type_letters(page, "n")
    assert figures_of(page) == ["4", "100%", "4", "4", "4"]
    expect(page.locator("#play-note")).to_have_text(
        re.compile("^The word of the day.*one is here.$")
    )
    page.click("#share")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith(f"Hangman Lab, {yesterday}: the word of the day, won")
    reload(page)
    # The word of the next day.
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    type_letters(page, "ban")
    assert figures_of(page) == ["5", "100%", "5", "5", "5"]


# A line on which nothing is sent before answer() is called.
SLOW_LINE = """() => {
    const sent = fetch;
    const answered = new Promise((resolve) => (window.answer = resolve));
    window.fetch = (...request) => answered.then(() => sent(...request));
}"""


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("pressed", ["double click", "Enter twice", "held Enter"])
def test_a_new_word_that_is_asked_for_twice_is_begun_once(open_page, pressed, slow):
    page = open_page()
    type_letters(page, "ban")
    asked = []
    page.on("request", lambda request: request.method == "POST" and asked.append(request.url))
    if slow:
        page.evaluate(SLOW_LINE)
    if pressed == "double click":
        page.dblclick("#new-game")
    elif pressed == "Enter twice":
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    else:
        page.focus("#new-game")
        for _ in range(3):
            page.keyboard.down("Enter")
            if not slow:
                settle(page)
        page.keyboard.up("Enter")
    if slow:
        page.evaluate("answer()")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    settle(page)
    assert [url.rpartition("/")[2] for url in asked] == ["games"]


def test_a_new_word_resigns_the_old_one_which_is_lost_after_a_guess(open_page):
    page = open_page()
    type_letters(page, "ban")
    for letters, asked, streak in (("", False, 1), ("x", True, 0)):
        new_word(page)
        type_letters(page, letters)
        page.click("#new-game")
        if asked:
            expect(page.locator("#sure-question")).to_have_text("Give this word up for a new one?")
            page.click("#sure-yes")
        settle(page)
        expect(outcome(page)).to_have_text("A word of 6 letters.")
        expect(page.locator("#streak")).to_contain_text(f"Streak {streak}")
    # A guest may have 20 open games, which are never reached.
    for _ in range(21):
        new_word(page)
    expect(page.locator("#problem")).to_be_empty()
    expect(page.locator("#open-games")).to_be_hidden()
    page.click("#give-up")
    page.keyboard.press("Escape")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    page.click("#give-up")
    page.click("#sure-yes")
    expect(outcome(page)).to_have_text("Given up: the word was banana.")


@pytest.mark.parametrize("damaged", ["{", "7", '{"spread": 3, "streak": []}', "\u2603"])
def test_damaged_browser_storage_is_ignored(open_page, damaged):
    page = open_page()
    page.evaluate(
        "text => Object.keys(localStorage).concat('hangman-tally').forEach(name => "
        "localStorage.setItem(name, text))",
        damaged,
    )
    reload(page)
    type_letters(page, "ban")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    assert figures_of(page)[0] == "1"


THROW = "() => { throw new DOMException('no', 'SecurityError'); }"
STORAGE = {
    "blocked": f"Object.defineProperty(window, 'localStorage', {{ get: {THROW} }})",
    "missing": "Object.defineProperty(window, 'localStorage', { value: null })",
    "unreadable": f"Storage.prototype.getItem = {THROW}",
    "full": f"Storage.prototype.setItem = {THROW}",
}


@pytest.mark.parametrize("storage", STORAGE)
def test_without_storage_the_page_plays_without_statistics(open_page, page_server, storage):
    page = open_page()
    page.clock.install()
    page.evaluate("localStorage.clear()")
    page.add_init_script(STORAGE[storage])
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    reload(page)
    page.clock.run_for(10_000)
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    assert asked.count("server") == asked.count("guests") == 1
    expect(page.locator("#play-board .key")).to_have_count(26)
    said = "No statistics: this browser does not store them."
    expect(page.locator("#streak")).to_have_text(said)
    type_letters(page, "ban")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    expect(page.locator("#share")).to_be_visible()
    for part in ("#figures", "#spread"):
        expect(page.locator(part)).to_be_hidden()
    new_word(page)
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    page.click("#daily")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    page.click("#account summary")
    page.fill("#token", add_token(page_server[1], storage))
    page.click("#token-form button")
    expect(outcome(page)).to_have_text(f"Welcome, {storage}.")
    page.click("#forget-token")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    expect(page.locator("#problem")).to_be_empty()
    assert asked.count("guests") == 1


def test_a_page_that_cannot_be_set_up_says_so_once(open_page):
    page = open_page()
    page.clock.install()
    page.add_init_script("window.setInterval = () => { throw Error('no timers'); }")
    page.reload()
    expect(page.locator("#problem")).to_have_text("Error: no timers")
    page.clock.run_for(10_000)
    expect(page.locator("#play-board .key")).to_have_count(26)


def test_requests_that_are_refused_or_lost_are_retried_with_a_message(open_page):
    page = open_page()
    page.clock.install()
    page.evaluate("localStorage.clear()")
    refusal = {"error": "too many requests from this address; wait a moment"}
    answer = {"status": 429, "json": refusal, "headers": {"Retry-After": "7"}}
    page.route("**/guests", lambda route: route.fulfill(**answer), times=1)
    page.reload()
    expect(page.locator("#problem")).to_have_text(
        "Too many requests from this address; wait a moment. Trying again in 7 s."
    )
    expect(outcome(page)).to_have_text("Waiting for a word.")
    expect(page.locator("#play-board .key").first).to_be_disabled()
    page.clock.run_for(7_000)
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    expect(page.locator("#problem")).to_be_empty()
    type_letters(page, "ba")

    def lose(route):
        route.fetch()
        route.abort()

    page.route("**/guesses", lose)
    page.keyboard.press("n")
    for _ in range(4):
        expect(page.locator("#problem")).to_contain_text("The server does not answer.")
        page.clock.run_for(7_000)
    settle(page)
    page.unroute_all(behavior="wait")
    # The guess has won, which is counted once, when it is shown.
    for show in (lambda: page.click("#daily"), lambda: reload(page)):
        show()
        expect(outcome(page)).to_have_text("You won: the word is banana.")
        assert figures_of(page)[0] == "1"


def test_the_page_is_played_below_a_path_of_a_proxy(browser, page_server):
    address, _ = page_server
    with closing(browser.new_context()) as context:
        # Like a proxy, which has nothing at other paths.
        context.route("**", lambda route: route.abort())
        below = f"{address}/hangman/"
        context.route(
            f"{below}**",
            lambda route: route.fulfill(
                response=route.fetch(url=route.request.url.replace(below, f"{address}/"))
            ),
        )
        page = context.new_page()
        page.goto(below)
        settle(page)
        type_letters(page, "ban")
        expect(outcome(page)).to_contain_text("banana")


def test_a_player_with_a_token_is_on_the_leaderboard(open_page, page_server):
    name = "<b>alice</b>"
    page = open_page()
    page.click("#account summary")
    page.fill("#token", "hm_wrong")
    page.click("#token-form button")
    expect(page.locator("#problem")).to_have_text("the access token is not known")
    page.fill("#token", add_token(page_server[1], name))
    page.click("#token-form button")
    expect(outcome(page)).to_have_text(f"Welcome, {name}.")
    page.check("#recorded")
    new_word(page)
    page.locator("#play-board svg").click()
    type_letters(page, "ban")
    figures = page.locator("#recorded-figures")
    expect(figures).to_have_text("Recorded games: 1 game of 1,000, 1 won.")
    # A hint in a recorded game, and leaving it, need a confirmation.
    new_word(page)
    page.click("#hint")
    page.click("#sure-yes")
    expect(page.locator("#play-note")).to_contain_text("marked as one with a hint")
    page.click("#new-game")
    expect(page.locator("#sure-question")).to_contain_text("counts as not won until you finish")
    page.click("#sure-yes")
    settle(page)
    # The word of the day and the recorded game.
    expect(page.locator("#open-games summary")).to_have_text("2 open games")
    page.click("#tab-leaderboard")
    row = page.locator("#players tr", has_text=name)
    expect(row).to_have_class("own")
    expect(row).to_contain_text("1 with hints")
    expect(page.locator("#own-rank")).to_have_text("You have no rank yet: 17 recorded games to go.")
    assert page.title() == "Leaderboard: Hangman Lab"
    page.go_back()
    expect(page.locator("#play")).to_be_visible()


def test_a_game_of_the_agent_is_watched_and_hints_are_shown(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.click("#hint")
    type_letters(page, "ban")
    expect(outcome(page)).to_have_text("You won with a hint: the word is banana.")
    assert "with a hint: 1" in page.locator("#spread").get_attribute("aria-label")
    page.click("#share")
    assert "wrong guesses and a hint" in page.evaluate("navigator.clipboard.readText()")
    new_word(page)
    type_letters(page, "ax")
    page.click("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    agent = DictionaryAgent().fit(["banana"])
    expected = agent.letter_probabilities(parse_observation("_a_a_a", "x"))[0]
    bars = [
        key(page, letter).locator(".bar").evaluate("bar => bar.style.height") for letter in ALPHABET
    ]
    assert [float(bar.removesuffix("%")) for bar in bars] == pytest.approx(100 * expected, abs=0.01)
    page.clock.install()
    reload(page)
    page.clock.pause_at("2100-01-01")
    page.click("#tab-watch")
    guess = re.compile("^dictionary guesses [a-z]\\.$")
    uncovered = re.compile("^[a-z] is (not )?in the word\\.$")
    # The server chooses the first word.
    expect(outcome(page, "watch-board")).to_have_text(guess)
    page.select_option("#speed", "2000")
    page.click("#step")
    expect(outcome(page, "watch-board")).to_have_text(uncovered)
    # The next word is a new game.
    page.click("#watch-new")
    expect(outcome(page, "watch-board")).to_have_text(guess)
    page.clock.run_for(2000)
    expect(outcome(page, "watch-board")).to_have_text(uncovered)
    page.click("#pause")
    page.clock.run_for(10_000)
    expect(outcome(page, "watch-board")).to_have_text(uncovered)
    page.click("#step")
    expect(outcome(page, "watch-board")).to_have_text(guess)
    refusal = {"error": "recorded games are open"}
    page.route("**/agent-games", lambda route: route.fulfill(status=409, json=refusal))
    page.click("#watch-new")
    expect(page.locator("#problem")).to_have_text("recorded games are open")


BOXES = "all => all.map(one => one.getBoundingClientRect().toJSON())"
TEXT_BOXES = """all => all.map(one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getBoundingClientRect().toJSON();
})"""


@pytest.mark.parametrize(("width", "height"), [(375, 667), (320, 568), (667, 375)])
def test_a_game_fits_on_a_phone_and_is_played_by_touch(open_page, width, height):
    page = open_page(width, height, has_touch=True, is_mobile=True)
    expect(page.locator("#play-note")).to_contain_text("Tap a letter.")
    # A percentage is below its letter, and inside of its key.
    keys = page.locator("#play-board .key")
    keys.evaluate_all("all => all.forEach(one => (one.lastChild.textContent = '100%'))")
    percents = keys.locator(".percent").evaluate_all(TEXT_BOXES)
    for whole, letter, percent in zip(
        keys.evaluate_all(BOXES), keys.locator(".letter").evaluate_all(BOXES), percents, strict=True
    ):
        assert letter["bottom"] <= percent["top"]
        assert whole["left"] <= percent["left"] < percent["right"] <= whole["right"]
    parts = page.locator("#play :is(.word, .tries, .outcome, .gallows, .key, .actions > button)")
    for letters in ("", "x", "ban"):
        for letter in letters:
            key(page, letter).tap()
            settle(page)
        for box in parts.evaluate_all(BOXES):
            assert 0 <= box["top"] < box["bottom"] <= height
            assert 0 <= box["left"] < box["right"] <= width
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    for box in page.locator("#play :is(button, select):visible:not(.key)").evaluate_all(BOXES):
        assert min(box["width"], box["height"]) >= 40
    for tab in ("watch", "leaderboard"):
        page.tap(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_review_is_read_on_a_phone(open_page):
    page = open_page(320, 568, has_touch=True, is_mobile=True)
    type_letters(page, "axbn")
    review, items = page.locator("#reviewed"), page.locator("#guesses > li")
    page.tap("#review")
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.locator("#review-summary")).to_have_text(
        "On average, your letters were in the word with a probability of 75%; "
        "dictionary's would have been with 100%."
    )
    shown = page.locator("#guesses .pattern")
    expect(shown).to_have_text(["______", "_a_a_a", "_a_a_a", "ba_a_a"])
    assert shown.nth(3).get_attribute("aria-label") == "b, a, blank, a, blank, a"
    texts = [" ".join(text.split()) for text in items.all_inner_texts()]
    assert texts[0] == "______ \u2713 hit you a 100% best a 100%"
    assert texts[1] == "_a_a_a \u2717 miss you x 0% best b 100% No listed word has yours."
    review.locator("button").tap()
    expect(review).to_be_hidden()
    # The longest game.
    guess = {"letter": "q", "probability": 0.004, "best_letter": "w", "best_probability": 0.996}
    guess |= {"shown": "_" * 32, "agent_probability": 0.5, "dominated": True}
    page.route("**/review", lambda route: route.fulfill(json={"guesses": [guess] * 25}))
    page.tap("#review")
    expect(items).to_have_count(25)
    assert items.last.locator(".number").all_text_contents() == ["<1%", ">99%"]
    for width in (320, 375, 1280):
        page.set_viewport_size({"width": width, "height": 568})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert review.evaluate("one => one.scrollWidth <= one.clientWidth")
        for box in review.locator("li span, b, p").evaluate_all(BOXES):
            assert 0 <= box["left"] <= box["right"] <= width


def test_26_lives_fit(browser, tmp_path):
    options = ("--agent=none", "--max-wrong=26")
    with serving(tmp_path / "games.sqlite3", *options, words=["banana"]) as (_, address):
        page = browser.new_page(reduced_motion="reduce")
        page.set_viewport_size({"width": 320, "height": 740})
        page.goto(address)
        settle(page)
        tries = page.locator("#play-board .tries")
        expect(tries).to_have_text("26 tries left; the 26th wrong guess loses")
        height = tries.bounding_box()["height"]
        spread = json.dumps({"spread": {**dict.fromkeys(range(26), 100), "hint": 100, "lost": 100}})
        page.evaluate("tally => localStorage['hangman-tally'] = tally", spread)
        type_letters(page, "xyzcdefghijklmopqrstuvwban")
        expect(outcome(page)).to_have_text("You won: the word is banana.")
        expect(page.locator("#share")).to_be_visible()
        expect(page.locator("#review")).to_be_hidden()  # there is no agent
        assert tries.bounding_box()["height"] == height
        assert "5 wrong: 100, 6+ wrong: 2001" in page.locator("#spread").get_attribute("aria-label")
        for width in (320, 375, 667, 1280):
            page.set_viewport_size({"width": width, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for part in ("span", "b"):
                texts = page.locator(f"#spread {part}").evaluate_all(TEXT_BOXES)
                for left, right in pairwise(texts):
                    assert left["right"] <= right["left"]
        page.route(
            "**/api/v1/server",
            lambda route: route.fulfill(json={**route.fetch().json(), "max_wrong": 22}),
        )
        reload(page)
        new_word(page)
        expect(tries).to_contain_text("the 22nd wrong guess loses")
        page.close()


@pytest.mark.parametrize("width", [320, 768, 1200])
@pytest.mark.parametrize("letters", ["xban", "acdefgh"])
def test_nothing_moves_from_the_first_guess_to_the_end(open_page, width, letters):
    page = open_page(width, 740, reduced_motion="reduce")
    new_word(page)

    def boxes():
        shown = "#play :is(p, button, svg, details, select, .ending):not(.ending *)"
        boxes = "all => all.map(one => JSON.stringify(one.getBoundingClientRect()))"
        return page.locator(shown).evaluate_all(boxes)

    before = boxes()
    for letter in letters:
        type_letters(page, letter)
        assert boxes() == before


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"forced_colors": "active"}])
def test_axe_finds_nothing_serious(open_page, options):
    """axe-core checks the machine-testable rules of the WCAG."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    # The content security policy forbids injected scripts.
    page = open_page(bypass_csp=True, reduced_motion="reduce", **options)
    page.evaluate(axe.AXE_SCRIPT)

    type_letters(page, "ax")
    steps = [("#hint", "#play:not([aria-busy])"), ("#account summary", "#account[open]")]
    steps += [("#give-up", "#sure[open]"), ("#sure-yes", "#play-board.lost")]
    steps += [("#review", "#guesses .hit"), ("#reviewed button", "#review")]
    steps += [("#tab-watch", "#watch-board .outcome:not(:empty)")]
    steps += [("#tab-leaderboard", "#leaderboard-empty:visible, #players tr")]
    # Disabled elements, as guessed letters are, are exempt from the contrast rule.
    enable = "all => all.forEach(one => one.removeAttribute('aria-disabled'))"
    for clicked, shown in steps:
        page.click(clicked)
        page.locator(shown).first.wait_for()
        page.locator(".key.right, .key.wrong").evaluate_all(enable)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        assert [one for one in found if one["impact"] in ("serious", "critical")] == [], clicked
