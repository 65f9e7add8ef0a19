import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.word_guess.answers import AnswerRule
from hangman_lab.envs.word_guess.rules import WordGuessGames
from hangman_lab.envs.word_guess.words import GuessWords
from tests.envs.word_guess.referee import cats_and_dogs

LIST = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


@given(
    st.lists(st.integers(0, len(LIST) - 1), min_size=1, max_size=8), st.integers(0, len(LIST) - 1)
)
def test_a_game_goes_as_a_plain_referee_says(guesses, secret):
    games = WordGuessGames(1, AnswerRule(4, True), GuessWords(LIST), 5)
    games.start(slice(None), np.array([secret]))
    seen, over = [], False
    for guess in guesses:
        step = games.guess(np.array([guess]))
        assert step.played[0] != over
        if over:
            assert not step.won[0]
            assert not step.lost[0]
        else:
            seen.append((guess, *cats_and_dogs(LIST[guess], LIST[secret])))
            assert step.won[0] == (guess == secret)
            assert step.lost[0] == (guess != secret and len(seen) == 5)
            over = step.won[0] or step.lost[0]
        observation = games.observe()
        made = observation["num_guesses"][0]
        rows = zip(observation["guesses"][0, :made], observation["answers"][0, :made], strict=True)
        assert [(guess, *answer) for guess, answer in rows] == seen
        assert (observation["guesses"][0, made:] == -1).all()
        assert games.action_masks().all()
        assert games.over[0] == over
