import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.word_guess.answers import AnswerRule
from envs.word_guess.rules import WordGuessGames
from envs.word_guess.words import GuessWords
from tests.envs.word_guess.referee import cats_and_dogs

LIST = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


def new_games(count=1, limit=5, words=LIST, track=False):
    return WordGuessGames(count, AnswerRule(4, True), GuessWords(words), limit, track)


@given(st.lists(st.integers(-1, len(LIST) - 1), max_size=8), st.integers(0, len(LIST) - 1))
def test_a_game_goes_as_a_plain_referee_says(guesses, secret):
    games = new_games(track=True)
    games.start(slice(None), np.array([secret]))
    seen, over, left = [], False, set(LIST)
    for guess in guesses:
        step = games.guess(np.array([guess]))
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
        assert {LIST[word] for word in np.flatnonzero(games.consistent()[0])} == left
        assert games.over[0] == over


@given(st.lists(st.integers(0, len(LIST) - 1), min_size=1, max_size=8))
def test_an_adversary_keeps_the_largest_set_and_never_contradicts_itself(guesses):
    games = new_games(limit=10, track=True)
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
        assert LIST[games.secrets[0]] in left
        assert step.won[0] == (answer == (0, 4))
        if step.won[0]:
            assert left == {LIST[guess]}
            break


def test_an_adversary_gives_in_last():
    games = new_games(words=("bell", "cell"), track=True)
    games.start(slice(None), None)
    assert not games.guess(np.array([0])).won[0]
    assert games.guess(np.array([1])).won[0]


def test_a_state_that_was_taken_is_gone_on_with():
    games = new_games(3, track=True)
    games.start(slice(None), np.array([0, 1, 2]))
    games.guess(np.array([3, 3, 3]))
    state = games.get_state()
    later = new_games(3, track=True)
    later.set_state(state)
    for other in (games, later):
        other.guess(np.array([1, 1, 1]))
    assert games.won.tolist() == later.won.tolist() == [False, True, False]
    np.testing.assert_array_equal(games.consistent(), later.consistent())
    with pytest.raises(ValueError, match="the state is not that of 2 such games"):
        new_games(2).set_state(state)


def test_what_the_rules_do_not_allow_is_refused():
    with pytest.raises(ValueError, match="max_guesses: 0 is below 1"):
        new_games(limit=0)
    with pytest.raises(ValueError, match="an adversary needs track_consistent"):
        new_games().start(slice(None), None)
    games = new_games()
    games.start(slice(None), np.array([0]))
    with pytest.raises(ValueError, match=r"outside 0\.\.7"):
        games.guess(np.array([8]))
    with pytest.raises(ValueError, match="without track_consistent"):
        games.consistent()
