import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.word_guess.answers import AnswerRule
from hangman_lab.envs.word_guess.rules import WordGuessGames
from hangman_lab.envs.word_guess.words import GuessWords
from tests.envs.word_guess.referee import cats_and_dogs

LIST = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


def new_games(count=1, limit=5, words=LIST, **options):
    return WordGuessGames(count, AnswerRule(4, True), GuessWords(words), limit, **options)


@given(st.lists(st.integers(-1, len(LIST) - 1), max_size=8), st.integers(0, len(LIST) - 1))
def test_a_game_goes_as_a_plain_referee_says(guesses, secret):
    games = new_games(mask="consistent")
    games.start(slice(None), np.array([secret]))
    seen, over, left = [], False, set(LIST)
    for guess in guesses:
        step = games.guess_any(np.array([guess]))
        if over:
            assert not step.won[0]
            assert not step.lost[0]
        else:
            answer = (-1, -1) if guess < 0 else cats_and_dogs(LIST[guess], LIST[secret])
            seen.append((guess, *answer))
            if guess >= 0:
                left = {word for word in left if cats_and_dogs(LIST[guess], word) == answer}
            assert step.won[0] == (guess == secret)
            assert step.lost[0] == (guess != secret and len(seen) == 5)
            over = step.won[0] or step.lost[0]
        observation = games.observe()
        made = observation["num_guesses"][0]
        rows = zip(observation["guesses"][0, :made], observation["answers"][0, :made], strict=True)
        assert [(guess, *answer) for guess, answer in rows] == seen
        assert (observation["guesses"][0, made:] == -1).all()
        assert {LIST[word] for word in np.flatnonzero(games.action_masks()[0])} == left
        assert games.over[0] == over


@given(st.lists(st.integers(0, len(LIST) - 1), min_size=1, max_size=8))
def test_an_adversary_keeps_the_largest_set_and_never_contradicts_itself(guesses):
    games = new_games(limit=10, opponent="adversary")
    games.start(slice(None), None)
    left = set(LIST)
    for guess in guesses:
        sets = {}
        for word in left:
            sets.setdefault(cats_and_dogs(LIST[guess], word), set()).add(word)
        step = games.guess(np.array([guess]))
        answer = tuple(games.rule.answers_by_code[step.codes[0]].tolist())
        assert len(sets[answer]) == max(map(len, sets.values()))
        left = sets[answer]
        assert games.secret(0) in left
        assert step.won[0] == (answer == (0, 4))
        if step.won[0]:
            # It gives in last: no other answer was possible.
            assert len(sets) == 1
            break
