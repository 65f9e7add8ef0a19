"""The web page in a browser: keyboard and touch, wide and narrow, light and dark."""

import re
import shutil

import pytest

from agents import make_agent
from envs.hangman.observation import parse_observation
from tests.server.load import add_token, serving

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("chromium is not installed (Debian: chromium)", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect

WIDE, NARROW = {"width": 1200, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose games all have the word banana: (address, its database)."""
    path = tmp_path_factory.mktemp("page") / "games.sqlite3"
    options = ("--agent", "dictionary", "--address-rate=1e9", "--new-guest-rate=1000")
    with serving(path, *options, words=["banana"]) as (_, address):
        yield address, path


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(server, browser):
    """Open the page in a window; at the end, no script may have failed or asked elsewhere."""
    address, _ = server
    contexts, messages, requests = [], [], []

    def open_page(viewport=WIDE, path="/", **options):
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address + path)
        if path == "/":
            expect(page.locator("#play-board .outcome")).not_to_be_empty()
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A refusal that a test provokes is told on the console; a script's error would be too.
    assert [text for text in messages if "Failed to load resource" not in text] == []
    assert all(url.startswith((address, "data:")) for url in requests)


def settle(page):
    expect(page.locator("#play:not([aria-busy])")).to_be_visible()


def type_letters(page, letters):
    for letter in letters:
        page.keyboard.press(letter)
    settle(page)


def word_of(page, board="play-board"):
    return page.locator(f"#{board} .said").text_content()


def outcome(page, board="play-board"):
    return page.locator(f"#{board} .outcome")


def key(page, letter, board="play-board"):
    return page.locator(f"#{board} .key").nth("abcdefghijklmnopqrstuvwxyz".index(letter))


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


def test_fast_typing_loses_no_letter_and_repeats_cost_nothing(open_page):
    page = open_page()
    page.keyboard.type("xxaxyaxz")
    settle(page)
    expect(page.locator("#play-board .tries")).to_have_text("3 tries left · not in the word: x y z")


def test_a_word_is_lost_and_shown(open_page):
    page = open_page()
    type_letters(page, "acdefgh")
    expect(outcome(page)).to_have_text("Lost: the word was banana.")
    expect(page.locator("#play-board .place.missed")).to_have_text(["b", "n", "n"])
    assert page.locator("#play-board svg title").text_content() == "6 of 6 wrong guesses"
    expect(page.locator("#play-board .figure > .shown")).to_have_count(6)
    page.click("#new-game")
    settle(page)
    expect(page.locator("#play-board .figure > .shown")).to_have_count(0)
    expect(outcome(page)).to_have_text("A word of 6 letters.")


def test_giving_up_shows_the_word(open_page):
    page = open_page()
    page.click("#resign")
    page.click("#sure button >> nth=0")
    settle(page)
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    page.click("#resign")
    page.keyboard.press("Escape")
    settle(page)
    page.click("#resign")
    page.click("#sure-yes")
    expect(outcome(page)).to_have_text("Given up: the word was banana.")


def test_a_game_goes_on_when_the_page_is_opened_again(open_page):
    page = open_page()
    type_letters(page, "xb")
    page.reload()
    expect(outcome(page)).to_have_text("Your game goes on.")
    assert word_of(page).startswith("Word of 6 letters: b, blank")
    expect(page.locator("#play-board .tries")).to_contain_text("5 tries left")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_played_by_touch_in_a_narrow_window(open_page, scheme):
    page = open_page(NARROW, has_touch=True, is_mobile=True, color_scheme=scheme)
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
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.tap("#tab-play")
    for box in page.locator("#play button:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => [box.width, box.height])"
    ):
        assert min(box) >= 40, box


def test_a_hint_is_drawn_as_bars_under_the_letters(open_page):
    page = open_page()
    type_letters(page, "ax")
    page.click("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    agent = make_agent("dictionary").fit(["banana"])
    observations = parse_observation("_a_a_a", "x")
    expected = agent.letter_probabilities(observations)[0]
    guessed = "abcdefghijklmnopqrstuvwxyz"[int(agent.act(observations)[0])]
    bars = page.locator("#play-board .key .bar").evaluate_all(
        "all => all.map(bar => bar.style.height)"
    )
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
    page.reload()
    page.click("#tab-watch")
    page.fill("#watch-word", "cabana")
    page.press("#watch-word", "Enter")
    # The answer for the word that it began with comes late.
    page.wait_for_timeout(100)
    assert len(held) == 2
    for route in held[::-1]:
        route.continue_()
        page.wait_for_timeout(200)
    assert word_of(page, "watch-board").startswith("Word of 6 letters: ")
    assert page.input_value("#watch-word") == "cabana"
    page.select_option("#speed", "250")
    expect(outcome(page, "watch-board")).to_have_text(
        re.compile("^dictionary (found|lost).*cabana"), timeout=20_000
    )
    shown = page.locator("#watch-board .place").all_text_contents()
    assert "".join(shown) == "cabana"


def test_watching_goes_letter_by_letter(open_page):
    page = open_page()
    page.click("#tab-watch")
    page.select_option("#speed", "2000")
    page.fill("#watch-word", "banana")
    page.click("#watch-form button")
    page.click("#pause")
    first = outcome(page, "watch-board").text_content()
    assert re.fullmatch("dictionary guesses [abn]\\.", first)
    page.click("#step")
    expect(outcome(page, "watch-board")).to_have_text(re.compile("^[abn] is in the word"))


def test_a_recorded_game_is_on_the_leaderboard(open_page, server):
    name = "<b>alice</b>"
    token = add_token(server[1], name)
    page = open_page()
    page.click("#account summary")
    page.fill("#token", "hm_wrong")
    page.click("#token-form button")
    expect(page.locator("#problem")).to_have_text("the access token is not known")
    expect(page.locator("#recorded")).to_be_disabled()
    page.fill("#token", token)
    page.click("#token-form button")
    expect(outcome(page)).to_have_text(f"Welcome, {name}: 0 of 1000 recorded games used.")
    page.check("#recorded")
    page.click("#new-game")
    expect(page.locator("#play-note")).to_contain_text("recorded")
    page.locator("#play-board svg").click()
    type_letters(page, "ban")
    expect(outcome(page)).to_have_text("You won: the word is banana.")
    page.click("#tab-leaderboard")
    row = page.locator("#players tr", has_text=name)
    # A rank needs more games.
    expect(row.locator("td.number")).to_have_text(["", "100.0%", "1", "1"])
    row.locator("button").click()
    expect(row.locator("button")).to_have_attribute("aria-current", "true")
    expect(page.locator("#by-length-title")).to_have_text(f"{name}, by word length")
    expect(page.locator("#lengths > div")).to_have_text([re.compile("6 letters.*100.0% of 1")])


def test_everything_that_can_be_used_has_a_name(open_page):
    page = open_page()
    nameless = page.locator("button, input, select, [role=img], [role=region]").evaluate_all(
        """all => all.filter(one => !(one.getAttribute("aria-label") || one.textContent.trim()
             || one.labels?.length || one.querySelector("title"))).map(one => one.outerHTML)"""
    )
    assert nameless == []
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("width", [320, 360, 1200])
def test_a_word_of_20_letters_is_on_one_line(open_page, width):
    page = open_page({"width": width, "height": 740})
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


@pytest.mark.parametrize("viewport", [WIDE, NARROW])
def test_a_hint_moves_nothing(open_page, viewport):
    page = open_page(viewport)
    boxes = "all => all.map(one => JSON.stringify(one.getBoundingClientRect()))"
    settle(page)
    everything = page.locator("#play :is(p, button, svg, details)")
    before = everything.evaluate_all(boxes)
    page.click("#hint")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    settle(page)
    assert everything.evaluate_all(boxes) == before


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
    type_letters(page, "b")
    page.keyboard.press("Enter")
    settle(page)
    assert word_of(page).startswith("Word of 6 letters: b")


def test_the_focus_stays_where_it_was(open_page):
    page = open_page()
    for letter in "ban":
        key(page, letter).focus()
        page.keyboard.press("Space")
        settle(page)
        assert page.evaluate("document.activeElement.textContent.trim()[0]") == letter
    # The letter that has it is guessed, so that Enter is the next word.
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("A word of 6 letters.")
    settle(page)
    page.focus("#resign")
    page.keyboard.press("Enter")
    expect(page.locator("#sure")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("Given up: the word was banana.")
    assert page.evaluate("document.activeElement.id") == "resign"


def test_open_games_can_be_gone_on_with(open_page):
    page = open_page()
    type_letters(page, "n")
    expect(page.locator("#open-games")).to_be_hidden()
    page.click("#new-game")
    expect(page.locator("#open-games summary")).to_have_text("1 open game")
    page.click("#open-games summary")
    page.click("#open-list button")
    expect(outcome(page)).to_have_text("Your game goes on.")
    assert word_of(page) == "Word of 6 letters: blank, blank, n, blank, n, blank"
    expect(page.locator("#open-list button")).to_have_text("Go on with _ _ _ _ _ _")


def test_figures_and_a_streak_are_ones_own(open_page):
    page = open_page()
    for _ in range(2):
        type_letters(page, "ban")
        page.keyboard.press("Enter")
        settle(page)
    expect(page.locator("#figures")).to_have_text(
        "In a row: 2, at most 2 · practice words won: 2 of 3"
    )
    type_letters(page, "cdefgh")
    expect(page.locator("#figures")).to_contain_text("In a row: 0, at most 2")


def test_a_result_is_shared_without_the_word(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    type_letters(page, "xban")
    page.click("#share")
    expect(outcome(page)).to_have_text("The result is copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("Hangman Lab: a word of 6 letters, won with 1 wrong guess\n")
    assert "\U0001f7e5\U0001f7e9\U0001f7e9\U0001f7e9" in text
    assert "banana" not in text
    # Where the page may not copy, it shows what a person can copy.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.click("#share")
    assert page.input_value("#shared") == text


def test_panels_have_addresses_and_are_chosen_with_arrow_keys(open_page):
    page = open_page(path="/#leaderboard")
    expect(page.locator("#leaderboard")).to_be_visible()
    expect(page.locator("#public-words")).to_be_visible()
    page.click("#tab-watch")
    assert page.url.endswith("/#watch")
    page.go_back()
    expect(page.locator("#leaderboard")).to_be_visible()
    assert page.title() == "Leaderboard: Hangman Lab"
    page.focus("#tab-leaderboard")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#watch")).to_be_visible()
    expect(page.locator("#leaderboard")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "tab-watch"
    assert page.locator("#tab-watch").get_attribute("aria-selected") == "true"


def test_forced_colours_keep_right_and_wrong_apart(open_page):
    page = open_page(forced_colors="active")
    type_letters(page, "ax")
    border = "one => getComputedStyle(one).borderStyle + getComputedStyle(one).borderWidth"
    borders = [key(page, letter).evaluate(border) for letter in "axb"]
    assert len(set(borders)) == 3


def test_a_hint_in_a_recorded_game_is_asked_about_and_marked(open_page, server):
    page = open_page()
    page.evaluate(
        "token => localStorage.setItem('hangman-token', token)", add_token(server[1], "carol")
    )
    page.reload()
    page.click("#account summary")
    page.check("#recorded")
    page.click("#new-game")
    settle(page)
    page.click("#hint")
    page.keyboard.press("Escape")
    settle(page)
    expect(page.locator("#play-board.with-bars")).to_have_count(0)
    page.click("#hint")
    page.click("#sure-yes")
    expect(page.locator("#play-board.with-bars")).to_be_visible()
    expect(page.locator("#play-note")).to_contain_text("marked as one with a hint")
    page.click("#tab-leaderboard")
    expect(page.locator("#players tr", has_text="carol")).to_contain_text("1 with hints")


LUMINANCE = """one => {
  const channels = text => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = text => channels(text).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  let behind = one;
  const ground = () => getComputedStyle(behind).backgroundColor;
  while (ground() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
  const [text, page] = [getComputedStyle(one).color, ground()].map(light);
  return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(open_page, scheme):
    """The Web Content Accessibility Guidelines ask for a contrast of 4.5 (level AA)."""
    page = open_page(color_scheme=scheme)
    type_letters(page, "abxyzqwc")
    page.click("#account summary")
    texts = "h1,#tab-play,#tab-watch,summary,footer p,footer a,#account p,#new-game,.place.missed"
    states = ".key.right,.key.wrong,#play-board .tries,#play-board .outcome"
    for selector in f"{texts},{states}".split(","):
        contrast = page.locator(selector).first.evaluate(LUMINANCE)
        assert contrast >= 4.5, (selector, contrast)


def test_the_page_of_the_interface_comes_from_here(open_page):
    page = open_page(path="/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    expect(page.locator("#docs")).to_contain_text("/trexsim/hangman/guess_letter")


def test_the_page_says_when_the_server_does_not_answer(open_page):
    page = open_page()
    page.route("**/guesses", lambda route: route.abort())
    # A page that was loaded before its route was set may send one more request past it.
    page.reload()
    expect(page.locator("#play-board .outcome")).not_to_be_empty()
    page.keyboard.press("b")
    expect(page.locator("#problem")).to_contain_text("does not answer", timeout=20_000)
    page.unroute("**/guesses")
    type_letters(page, "b")
    expect(page.locator("#problem")).to_be_hidden()
    assert word_of(page).startswith("Word of 6 letters: b, blank")
