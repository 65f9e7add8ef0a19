"""A single game on plain strings, compared with the batched rules."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.encoding import ALPHABET, decode, encode_words
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import HangmanGames


@given(
    st.text(ALPHABET, min_size=1, max_size=32),
    st.integers(1, 26),
    st.lists(st.integers(0, 25), max_size=40),
)
def test_a_game_goes_by_the_batched_rules(secret, max_wrong, letters):
    encoded = encode_words([secret])
    rules = HangmanGames(1, encoded.width, max_wrong, repeated_guess="free")
    rules.start(slice(None), encoded)
    game, guesses = Game(secret, max_wrong), ""
    for letter in letters:
        if not game.over and ALPHABET[letter] not in guesses:
            guesses += ALPHABET[letter]
        assert game.guess(letter) == rules.guess(np.array([letter])).newly_shown[0]
        expected = rules.observe()
        assert (game.over, game.won) == (rules.over[0], rules.won[0])
        assert game.lives == expected["lives"][0]
        assert game.word == decode(expected["word"][0])
        assert game.guesses == guesses
        assert {*guesses} == {ALPHABET[i] for i in np.flatnonzero(expected["guessed"][0])}
        assert {*game.wrong_letters} == {*game.guesses} - {*secret}
        if game.lives:
            for name in expected:
                array = game.observations[name]
                assert array.dtype == expected[name].dtype
                assert array.tolist() == expected[name].tolist()
        # The guesses are all there is to store of it.
        assert vars(Game(secret, max_wrong, game.guesses)) == vars(game)
