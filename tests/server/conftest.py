"""Servers for the tests of the server, and the web page in a browser."""

import shutil

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.server.agent import think
from tests.server.harness import WORDS, Harness
from tests.server.load import serving


@pytest.fixture
def path(tmp_path):
    """The file of a new database."""
    return tmp_path / "games.sqlite3"


@pytest.fixture
def start(tmp_path):
    """Start servers without a network, each on a new database; they are closed at the end."""
    started = []

    def start(**options):
        started.append(Harness(tmp_path / f"games_{len(started)}.sqlite3", **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def start_with_player(start):
    """Start a server; return it and the token of a player."""

    def start_with_player(**options):
        server = start(**options)
        return server, server.token()

    return start_with_player


@pytest.fixture(scope="session")
def dictionary():
    """An agent whose kernels are compiled, as those of the server's processes."""
    dictionary = make_agent("dictionary").fit(WORDS)
    think(dictionary, Game("a", Rules()).observations)
    return dictionary


@pytest.fixture(scope="module")
def page_server(tmp_path_factory):
    """A server whose games all have the word banana: (address, its database)."""
    path = tmp_path_factory.mktemp("page") / "games.sqlite3"
    options = ("--agent", "dictionary", "--address-rate=1e9")
    with serving(path, *options, words=["banana"]) as (_, address):
        yield address, path


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    options = {"executable_path": chromium, "args": ["--no-sandbox", "--disable-gpu"]}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(page_server, browser):
    """Open the page; at the end, no script may have failed or sent a request to another host."""
    address, _ = page_server
    contexts, messages, requests = [], [], []

    def open_page(width=1200, height=800, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        # A route of an open page may miss its next requests, unless some have been intercepted.
        contexts[-1].route("**/nothing", lambda route: route.abort())
        page = contexts[-1].new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        # Busy until its first game is shown.
        page.locator("#play:not([aria-busy])").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    # The console has provoked refusals; errors of scripts would be there, too.
    assert [text for text in messages if "Failed to load resource" not in text] == []
    assert all(url.startswith((address, "data:")) for url in requests)
