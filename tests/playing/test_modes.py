"""A game against an agent: who wins."""

from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.playing import modes


@pytest.mark.parametrize(
    ("yours", "theirs", "max_wrong", "winner"),
    [
        ("no", "no", 6, None),
        # With as many words, the lives that are left decide.
        ("no", "xno", 6, modes.YOU),
        ("xyno", "xno", 6, "rival"),
        ("abcdef", "abcdeno", 6, "rival"),
        ("abcdef", "abcdef", 6, None),
        # The opponent has as many lives.
        ("abc", "xyzno", 3, None),
    ],
)
def test_more_lives_win_a_game_that_both_win(monkeypatch, yours, theirs, max_wrong, winner):
    yours, theirs = map(iter, (yours, theirs))
    monkeypatch.setattr(modes, "ask", lambda *_: letter_index(next(yours)))
    rival: Any = SimpleNamespace(name="rival", choose=lambda *_: letter_index(next(theirs)))
    game = Game("noon", Rules(max_wrong))
    assert modes.play_versus(Console(quiet=True), game, rival, 1) == winner
