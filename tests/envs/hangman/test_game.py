"""A single game on plain strings, compared with the referee; finished games of a batch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.encoding import ALPHABET, decode, encode_words
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.hangman.rules import HangmanGames
from tests.envs.hangman.referee import Referee


@given(
    st.text(ALPHABET, min_size=1, max_size=32),
    st.integers(1, 26),
    st.lists(st.sampled_from(ALPHABET), max_size=40),
)
def test_a_game_goes_by_the_rules(secret, max_wrong, letters):
    game, referee, guesses = Game(secret, max_wrong), Referee(secret, max_wrong, "free"), ""
    for letter in letters:
        newly_shown = 0
        if not referee.over:
            guesses += letter * (letter not in guesses)
            newly_shown, _ = referee.guess(letter)
        assert game.guess(ALPHABET.index(letter)) == newly_shown
        assert (game.over, game.won, game.lives) == (referee.over, referee.won, referee.lives)
        assert (game.word, game.guesses) == (referee.shown, guesses)
        assert {*game.wrong_letters} == {*guesses} - {*secret}
        if game.lives:
            expected = parse_observation(game.word, game.wrong_letters, max_wrong)
            for name, array in game.observations.items():
                assert array.dtype == expected[name].dtype
                assert array.tolist() == expected[name].tolist()
        # The guesses are all there is to store of it.
        assert vars(Game(secret, max_wrong, game.guesses)) == vars(game)


def test_guesses_in_finished_games_of_a_batch_have_no_result():
    games = HangmanGames(2, 2, max_wrong=1)
    games.start(slice(None), encode_words(["a", "bb"], 2))
    result = games.guess(np.zeros(2, np.int64))
    assert (result.won.tolist(), result.lost.tolist()) == ([True, False], [False, True])
    result = games.guess(np.ones(2, np.int64))
    assert not (result.won | result.lost | result.lost_life | (result.newly_shown > 0)).any()
    assert [decode(word) for word in games.observe()["word"]] == ["a", "__"]
