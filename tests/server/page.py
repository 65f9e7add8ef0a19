"""What the tests do on the web page."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
# A machine that runs other tests at the same time may take seconds.
expect.set_options(timeout=30_000)


def settle(page):
    expect(page.locator("#play:not([aria-busy])")).to_be_visible()


def reload(page):
    page.reload()
    settle(page)


def type_letters(page, letters):
    for letter in letters:
        page.keyboard.press(letter)
    settle(page)


def word_of(page, board="play-board"):
    return page.locator(f"#{board} .said").text_content()


def outcome(page, board="play-board"):
    return page.locator(f"#{board} .outcome")


def key(page, letter):
    return page.locator(f"#play-board .key[data-letter={letter}]")
