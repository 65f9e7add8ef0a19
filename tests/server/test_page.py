"""The web page in a browser: games, hints, the agent, the leaderboard, a server that is gone."""

import re

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import parse_observation
from tests.server.load import add_token
from tests.server.page import expect, key, outcome, reload, settle, type_letters, word_of

pytestmark = pytest.mark.slow


def test_a_word_is_won_with_the_keyboard(open_page):
    page = open_page()
    assert word_of(page) == "Word of 6 letters: " + ", ".join(["blank"] * 6)
    type_letters(page, "xA")
    assert word_of(page) == "Word of 6 letters: blank, a, blank, a, blank, a"
    expect(outcome(page)).to_have_text("a is in the word, 3 times.")
    assert key(page, "x").get_attribute("aria-label") == "x, not in the word"
    assert key(page, "a").get_attribute("aria-label") == "a, in the word"
    expect(page.locator("#play-board .tries")).to_contain_text("5 tries left")
    type_letters(page, "bn")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    assert outcome(page).get_attribute("aria-live") == "polite"
    expect(key(page, "q")).to_be_disabled()
    expect(page.locator("#play-board .freed")).to_be_visible()
    expect(page.locator("#play-board .figure > .shown").first).to_be_hidden()


def test_a_word_is_lost_by_fast_typing_of_which_repeats_cost_nothing(open_page):
    page = open_page()
    page.keyboard.type("xxaxyaxz")
    settle(page)
    expect(page.locator("#play-board .tries")).to_have_text("3 tries left")
    type_letters(page, "cde")
    expect(outcome(page)).to_have_text("Lost: the word was banana.")
    expect(page.locator("#play-board .place.missed")).to_have_text(["b", "n", "n"])
    assert page.locator("#play-board svg title").text_content() == "6 of 6 wrong guesses"
    expect(page.locator("#play-board .figure > .shown")).to_have_count(6)
    page.click("#new-game")
    settle(page)
    expect(page.locator("#play-board .figure > .shown")).to_have_count(0)
    expect(outcome(page)).to_have_text("A word of 6 letters.")


def test_a_hint_is_drawn_as_bars_under_the_letters(open_page):
    page = open_page()
    type_letters(page, "ax")
    page.click("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    agent = make_agent("dictionary").fit(["banana"])
    observations = parse_observation("_a_a_a", "x")
    expected = agent.letter_probabilities(observations)[0]
    guessed = ALPHABET[int(agent.act(observations)[0])]
    bars = [
        key(page, letter).locator(".bar").evaluate("bar => bar.style.height") for letter in ALPHABET
    ]
    assert [float(bar.removesuffix("%")) for bar in bars] == pytest.approx(100 * expected, abs=0.01)
    assert page.locator("#play-board .key.chosen .letter").all_text_contents() == [guessed]
    expect(outcome(page)).to_have_text(f"dictionary would guess {guessed}.")
    assert key(page, "b").get_attribute("aria-label").startswith("b, not guessed, 100% likely")
    type_letters(page, "b")
    expect(page.locator("#play-board.with-bars")).to_have_count(0)


def test_the_word_that_was_asked_for_last_is_watched(open_page):
    page = open_page()
    held = []
    page.route("**/agent-games", lambda route: held.append(route))
    with page.expect_request("**/agent-games"):
        page.click("#tab-watch")
    page.fill("#watch-word", "cabana")
    with page.expect_request("**/agent-games"):
        page.press("#watch-word", "Enter")
    assert page.input_value("#watch-word") == "cabana"
    assert len(held) == 2
    # The answer for the word that it began with comes late.
    for route in held[::-1]:
        with page.expect_response("**/agent-games"):
            route.continue_()
    page.select_option("#speed", "250")
    expect(outcome(page, "watch-board")).to_have_text(
        re.compile("^dictionary (found|lost).*cabana")
    )
    shown = page.locator("#watch-board .place").all_text_contents()
    assert "".join(shown) == "cabana"


def test_watching_goes_letter_by_letter(open_page):
    page = open_page()
    page.clock.install()
    reload(page)
    page.clock.pause_at("2100-01-01")
    page.click("#tab-watch")
    page.select_option("#speed", "2000")
    page.fill("#watch-word", "ban")
    page.click("#watch-form button")
    # No word that the page proposes has three letters.
    expect(page.locator("#watch-board .said")).to_have_text(
        "Word of 3 letters: blank, blank, blank"
    )
    guess = re.compile("^dictionary guesses [a-z]\\.$")
    uncovered = re.compile("^[a-z] is (not )?in the word\\.$")
    expect(outcome(page, "watch-board")).to_have_text(guess)
    page.clock.run_for(2000)
    expect(outcome(page, "watch-board")).to_have_text(uncovered)
    page.click("#pause")
    page.clock.run_for(10_000)
    expect(outcome(page, "watch-board")).to_have_text(uncovered)
    page.click("#step")
    expect(outcome(page, "watch-board")).to_have_text(guess)


def test_a_recorded_game_is_on_the_leaderboard(open_page, page_server):
    name = "<b>alice</b>"
    token = add_token(page_server[1], name)
    page = open_page()
    page.click("#account summary")
    page.fill("#token", "hm_wrong")
    page.click("#token-form button")
    expect(page.locator("#problem")).to_have_text("the access token is not known")
    expect(page.locator("#recorded")).to_be_disabled()
    page.fill("#token", token)
    page.click("#token-form button")
    expect(outcome(page)).to_have_text(f"Welcome, {name}.")
    page.check("#recorded")
    page.click("#new-game")
    expect(page.locator("#play-note")).to_contain_text("recorded")
    page.locator("#play-board svg").click()
    type_letters(page, "ban")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    expect(page.locator("#recorded-figures")).to_have_text(
        "Recorded games: 1 game of 1,000, 1 won."
    )
    page.click("#tab-leaderboard")
    row = page.locator("#players tr", has_text=name)
    # One game is too few for a rank.
    expect(row.locator("td.number")).to_have_text(["\u2013", "20.7", "1", "1"])
    expect(row.locator("td.rate")).to_have_text("100.0% (20.7 to 100.0)")
    expect(row).to_have_class("own")
    expect(page.locator("#own-rank")).to_have_text("You have no rank yet: 19 recorded games to go.")
    row.locator("button").click()
    expect(row.locator("button")).to_have_attribute("aria-current", "true")
    expect(page.locator("#by-length-title")).to_have_text(f"{name}, by word length")
    expect(page.locator("#lengths > div")).to_have_text([re.compile("6 letters.*100.0% of 1")])


def test_a_game_and_the_next_need_the_keyboard_alone(open_page):
    page = open_page()
    expect(page.locator("#new-game")).to_have_class("quiet")
    expect(page.locator("#play-note")).to_contain_text("Type a letter")
    type_letters(page, "ban")
    expect(page.locator("#new-game")).to_have_class("main")
    expect(page.locator("#play-note")).to_contain_text("Enter begins the next word")
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    expect(page.locator("#new-game")).to_have_class("quiet")
    # While it goes on, Enter is no end of it.
    type_letters(page, "x")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("#play-board .tries")).to_contain_text("5 tries left")
    # The focus stays where it was.
    for letter in "ba":
        key(page, letter).focus()
        page.keyboard.press("Space")
        settle(page)
        assert page.evaluate("document.activeElement.textContent.trim()[0]") == letter
    # At the end the letters are gone, so that Enter is the next word.
    key(page, "n").focus()
    page.keyboard.press("Space")
    settle(page)
    assert page.evaluate("document.activeElement.id") == "new-game"
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    settle(page)
    # Giving up is asked about: the first button keeps playing, as Escape does, the second gives up.
    for keys, told in (
        (["Enter"], "A word of 6 letters."),
        (["Escape"], "A word of 6 letters."),
        (["Tab", "Enter"], "Given up: the word was banana."),
    ):
        page.focus("#give-up")
        page.keyboard.press("Enter")
        expect(page.locator("#sure")).to_be_visible()
        for pressed in keys:
            page.keyboard.press(pressed)
        settle(page)
        expect(outcome(page)).to_have_text(told)
    assert page.evaluate("document.activeElement.id") == "give-up"


def test_open_games_can_be_gone_on_with(open_page):
    page = open_page()
    type_letters(page, "xn")
    reload(page)
    expect(outcome(page)).to_have_text("Your game goes on.")
    expect(page.locator("#play-board .tries")).to_contain_text("5 tries left")
    expect(page.locator("#open-games")).to_be_hidden()
    page.click("#new-game")
    expect(page.locator("#open-games summary")).to_have_text("1 open game")
    page.click("#open-games summary")
    page.click("#open-list button")
    expect(outcome(page)).to_have_text("Your game goes on.")
    assert word_of(page) == "Word of 6 letters: blank, blank, n, blank, n, blank"
    expect(page.locator("#open-list button")).to_have_text(
        "6 letters, 0 shown, 6 tries left: ______"
    )


def figures_of(page):
    names, figures = page.locator("#figures dt"), page.locator("#figures dd")
    return dict(zip(names.all_text_contents(), figures.all_text_contents(), strict=True))


def test_the_end_shows_ones_own_games_by_wrong_guesses_and_the_streak(open_page):
    page = open_page()
    expect(page.locator("#ending")).to_be_hidden()
    for letters in ("ban", "xyban"):
        type_letters(page, letters)
        page.keyboard.press("Enter")
        settle(page)
    expect(page.locator("#streak")).to_have_text("Streak 2")
    # A game that goes on is not counted.
    reload(page)
    type_letters(page, "b")
    page.click("#give-up")
    page.click("#sure-yes")
    settle(page)
    expect(page.locator("#ending")).to_be_visible()
    assert figures_of(page) == {"Played": "3", "Won": "67%", "Streak": "0", "Best": "2"}
    assert page.locator("#spread").get_attribute("aria-label") == (
        "0 wrong: 1, 1 wrong: 0, 2 wrong: 1, 3 wrong: 0, 4 wrong: 0, 5 wrong: 0, not won: 1"
    )
    expect(page.locator("#spread .now b")).to_have_text("lost")
    expect(page.locator("#meaning")).to_have_attribute(
        "href", "https://en.wiktionary.org/wiki/banana"
    )
    expect(page.locator("#streak")).to_have_text("Streak 0")


def test_the_word_of_the_day_is_played_once_and_comes_first(open_page):
    page = open_page()
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#play-note")).to_contain_text("The word of the day")
    type_letters(page, "xban")
    page.click("#new-game")
    settle(page)
    expect(page.locator("#daily")).to_have_attribute("aria-pressed", "false")
    type_letters(page, "ban")
    for again in (lambda: reload(page), lambda: page.click("#daily")):
        again()
        expect(page.locator("#daily")).to_have_attribute("aria-pressed", "true")
        expect(outcome(page)).to_have_text("You won: the word is banana.")
        expect(page.locator("#play-board .tries")).to_have_text("5 tries left")
    assert figures_of(page)["Played"] == "2"


def test_the_next_word_is_of_the_length_and_difficulty_that_were_chosen(open_page):
    page = open_page()
    asked = []
    page.on("request", lambda request: asked.append(request.post_data_json))
    # This server has too few words to choose a length.
    assert page.locator("#length option").all_text_contents() == ["Any length"]
    page.select_option("#difficulty", "hard")
    reload(page)
    assert page.input_value("#difficulty") == "hard"
    asked.clear()
    page.click("#new-game")
    settle(page)
    assert {"length": None, "difficulty": "hard"} in asked


def test_a_result_is_shared_without_the_word(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    type_letters(page, "xban")
    page.click("#share")
    expect(outcome(page)).to_have_text("The result is copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("Hangman Lab: the word of the day, won with 1 wrong guess\n")
    assert "\U0001f7e5\U0001f7e9\U0001f7e9\U0001f7e9" in text
    assert "banana" not in text
    # Where the page may not copy, it shows what a person can copy.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.click("#share")
    expect(page.locator("#copy")).to_be_visible()
    assert page.input_value("#shared") == text


def test_panels_have_addresses_and_are_chosen_with_arrow_keys(open_page):
    page = open_page(path="/#leaderboard")
    expect(page.locator("#leaderboard")).to_be_visible()
    expect(page.locator("#public-words")).to_be_visible()
    page.click("#tab-watch")
    expect(page).to_have_url(re.compile("/#watch$"))
    page.go_back()
    expect(page.locator("#leaderboard")).to_be_visible()
    assert page.title() == "Leaderboard: Hangman Lab"
    page.focus("#tab-leaderboard")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#watch")).to_be_visible()
    expect(page.locator("#leaderboard")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "tab-watch"
    assert page.locator("#tab-watch").get_attribute("aria-selected") == "true"


def test_a_hint_in_a_recorded_game_is_asked_about_and_marked(open_page, page_server):
    page = open_page()
    page.evaluate(
        "token => localStorage.setItem('hangman-token', token)", add_token(page_server[1], "carol")
    )
    reload(page)
    page.click("#account summary")
    page.check("#recorded")
    expect(page.locator("#length")).to_be_disabled()
    page.click("#new-game")
    settle(page)
    page.click("#hint")
    expect(page.locator("#sure")).to_be_visible()
    page.keyboard.press("Escape")
    settle(page)
    expect(page.locator("#play-board.with-bars")).to_have_count(0)
    page.click("#hint")
    page.click("#sure-yes")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    expect(page.locator("#play-note")).to_contain_text("marked as one with a hint")
    # To leave it is asked about, too; where it is wanted, it stays open.
    for answer, left in (("Escape", False), ("Enter", True)):
        before = page.evaluate("localStorage.getItem('hangman-game')")
        page.click("#new-game")
        expect(page.locator("#sure-question")).to_contain_text("counts as not won until you finish")
        page.focus("#sure-yes")
        page.keyboard.press(answer)
        settle(page)
        assert (page.evaluate("localStorage.getItem('hangman-game')") != before) == left
    reload(page)
    expect(page.locator("#recorded")).to_be_checked()
    page.click("#tab-leaderboard")
    expect(page.locator("#players tr", has_text="carol")).to_contain_text("1 with hints")


def test_the_page_that_describes_the_api_comes_from_here(open_page):
    page = open_page(path="/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    expect(page.locator("#docs")).to_contain_text("/trexsim/hangman/guess_letter")


def test_the_page_says_within_a_second_when_the_server_does_not_answer(open_page):
    page = open_page()
    # A second of the page's clock, so that a slow machine changes nothing.
    page.clock.install()
    reload(page)
    page.clock.pause_at("2100-01-01")
    # The server takes the connection, and says nothing.
    held = []
    page.route("**/guesses", lambda route: held.append(route))
    with page.expect_request("**/guesses"):
        key(page, "b").click()
    page.clock.run_for(1000)
    expect(page.locator("#problem")).to_have_text("Waiting for the server.")
    page.clock.resume()
    held[0].continue_()
    settle(page)
    expect(page.locator("#problem")).to_be_empty()
    assert word_of(page).startswith("Word of 6 letters: b, blank")
    # It cannot be reached.
    page.route("**/guesses", lambda route: route.abort())
    page.keyboard.press("a")
    expect(page.locator("#problem")).to_have_text("The server does not answer. Trying again.")
    expect(page.locator("#problem")).to_have_text("The server does not answer.")


def test_a_page_that_finds_no_server_begins_when_there_is_one(open_page):
    page = open_page()
    page.route("**/api/v1/server", lambda route: route.abort())
    page.reload()
    expect(page.locator("#problem")).to_contain_text("does not answer")
    page.unroute("**/api/v1/server")
    expect(outcome(page)).not_to_be_empty()
    expect(page.locator("#problem")).to_be_empty()


def test_without_a_game_nothing_fails_and_another_can_be_asked_for(open_page):
    page = open_page()
    page.evaluate("localStorage.clear()")
    refusal = {"error": "new guests of this address; wait a moment"}
    page.route("**/guests", lambda route: route.fulfill(status=429, json=refusal))
    page.reload()
    expect(page.locator("#problem")).to_have_text(refusal["error"])
    for button in ("#hint", "#give-up"):
        expect(page.locator(button)).to_be_disabled()
        page.locator(button).dispatch_event("click")
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("#ending")).to_be_hidden()
    expect(page.locator("#play-board .key").first).to_be_disabled()
    page.click("#new-game")
    expect(page.locator("#problem")).to_have_text(refusal["error"])
    page.unroute("**/guests")
    page.click("#new-game")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    expect(page.locator("#problem")).to_be_empty()


def test_a_server_without_an_agent_says_so(open_page):
    page = open_page()

    def without_agent(route):
        route.fulfill(json={**route.fetch().json(), "agent": None})

    page.route("**/api/v1/server", without_agent)
    reload(page)
    expect(page.locator("#hint")).to_be_disabled()
    page.click("#tab-watch")
    expect(page.locator("#watch")).to_have_text(re.compile(r"This server has no agent to watch\."))
    expect(page.locator("#watch-form")).to_be_hidden()
