"""The console of a game."""

from hangman_lab.playing.screen import make_console


def test_no_color_is_respected(monkeypatch):
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert make_console().color_system is not None
    monkeypatch.setenv("NO_COLOR", "1")
    assert make_console().color_system is None
