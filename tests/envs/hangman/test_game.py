"""A single game, as a person or a client plays it."""

import numpy as np

from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import select


def test_a_game_counts_what_the_rules_say():
    game = Game("banana", 6)
    assert [game.guess(letter_index(letter)) for letter in "azn"] == [3, 0, 2]
    assert (game.guesses, game.wrong_letters, game.lives) == ("azn", "z", 5)
    assert (game.word, game.over, game.won) == ("_anana", False, False)
    assert select(game.observations, 0)["lives"] == game.observation["lives"] == 5
    assert game.guess(1) == 1
    assert game.over
    assert game.won
    assert np.all(game.observation["word"] >= 2)


def test_a_game_goes_on_from_the_guesses_that_were_played():
    game = Game("noon", 2, "xo")
    assert (game.word, game.lives, game.guesses) == ("_oo_", 1, "xo")
    game.guess(letter_index("q"))
    assert game.over
    assert not game.won
    assert game.word == "_oo_"
