from typing import cast

import numpy as np
import pandas as pd
import pytest

import hangman_lab
from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import NotFittedError
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observation, parse_observation, select
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play

WORDS = ("a", "at", "cat", "cot", "dog", "jazz", "apple", "applepie", "banana", "cabbage")


LEARNED = ("ppo", "look-ahead", "posterior")


@pytest.fixture(scope="module", params=sorted({*AGENTS, *LEARNED}))
def agent(request):
    name = request.param
    return hangman_lab.load_agent(name) if name in LEARNED else make_agent(name, seed=3).fit(WORDS)


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        pytest.param("_____", "aeiou", id="no word of the length is left"),
        pytest.param("qq_", "", id="no word agrees with the places"),
        pytest.param("_" * 32, "etaoin", id="the longest word there can be"),
        pytest.param("_", "abcdefghijklmnopqrstuvwxy", id="one letter left"),
        pytest.param("ban_n_", "", id="every word that agrees hides a shown letter only"),
    ],
)
def test_the_guess_is_an_unguessed_letter(agent, pattern, wrong):
    observation = parse_observation(pattern, wrong, max_wrong=26)
    letter = agent.act(cast(Observation, select(observation, 0)), 5)
    assert type(letter) is int
    assert observation["guessed"][0, letter] == 0
    assert agent.act(observation, [5]).tolist() == [letter]


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_a_list_with_a_single_word_is_enough(name):
    played = play(make_agent(name).fit(("a",)), ("a", "quiz", "b"), Rules(26))
    assert played.won.all()
    if name != "random":
        assert played.wrong_guesses[0] == 0


GOOD = parse_observation("a__le", "xy")
# By what is wrong, the arrays in place of those of GOOD.
BAD = {
    "'word' has a value outside 0..27": {"word": [[2, 1, 28, 13, 6]]},
    "'word' has the shape .1, 33., not .1, 32.": {"word": np.ones((1, 33), np.uint8)},
    "'word' has float64": {"word": GOOD["word"] * 1.0},
    "'word' is empty, or has code": {"word": [[0, 0]]},
    "'word' is empty, or has code 0 before its end": {"word": [[2, 0, 1, 13, 6]]},
    "'word' shows a letter that is not in 'guessed'": {"word": [[2, 3, 1, 13, 6]]},
    "'guessed' has the shape": {"guessed": GOOD["guessed"][:, :25]},
    "'guessed' has a value outside 0..1": {"guessed": GOOD["guessed"] * 2},
    "'lives' has a value outside 0..26": {"lives": [-1]},
    "arrays word, guessed, lives are expected": {"guessed": [[1], [1, 2]]},
}


def test_an_observation_that_no_game_has_is_refused(agent):
    for message, arrays in BAD.items():
        for method in ("act", "letter_probabilities", "choice_probabilities"):
            if hasattr(type(agent), method):
                with pytest.raises(InputError, match=f"observations: {message}"):
                    getattr(agent, method)({**GOOD, **arrays})


def test_a_single_observation_is_played_as_a_batch_of_one(agent):
    single = {key: array[0] for key, array in GOOD.items()}
    assert agent.act(single, keys=[3]) == agent.act(GOOD, keys=[3])[0]
    for method in ("letter_probabilities", "choice_probabilities"):
        if hasattr(type(agent), method):
            probabilities = getattr(agent, method)
            np.testing.assert_array_equal(probabilities(single), probabilities(GOOD)[0])
            assert not probabilities(single)[single["guessed"] != 0].any()


def test_a_batch_of_no_games_has_no_letters(agent):
    empty = {key: array[:0] for key, array in GOOD.items()}
    assert agent.act(empty).tolist() == []
    if hasattr(type(agent), "letter_probabilities"):
        assert agent.letter_probabilities(empty).shape == (0, 26)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int16])
def test_integers_of_any_type_and_any_padding_are_the_same_observation(agent, dtype):
    wide = {"word": np.pad(GOOD["word"], ((0, 0), (0, 27)))}
    cast = {name: array.astype(dtype) for name, array in {**GOOD, **wide}.items()}
    assert agent.act(cast, [7]) == agent.act(GOOD, [7])


@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"random"}))
def test_an_agent_that_was_not_fitted_says_so(name):
    with pytest.raises(NotFittedError, match=r"is not fitted; call fit first"):
        make_agent(name).act(GOOD)


@pytest.mark.parametrize("words", ["apple", ["apple", None], ["Apple"], ["a" * 33], 5])
@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"random"}))
def test_words_that_cannot_be_fitted_are_refused(name, words):
    with pytest.raises(InputError, match=r"words: .* is not a "):
        make_agent(name).fit(words)


@pytest.mark.parametrize("name", ["random", "overall-frequency", "top-heavy"])
def test_without_keys_an_agent_that_draws_guesses_anew(name):
    def guesses(agent):
        return [agent.act(parse_observation("___")).item() for _ in range(20)]

    agents = (make_agent(name, seed).fit(("the", "fox", "jam")) for seed in (1, 2, 1))
    first, other, again = map(guesses, agents)
    assert len(set(first)) > 1
    assert other != first == again


@pytest.mark.parametrize("keys", [[1, 2], "key", [0.5], 2**70])
def test_keys_of_another_kind_are_refused(keys):
    with pytest.raises(InputError, match="is not an array of 1 integers"):
        make_agent("random").act(GOOD, keys)


def test_the_game_of_a_word_does_not_depend_on_order_batch_or_list(agent, real_words):
    together = play(agent, real_words[:60])
    for rows in (slice(None, None, -1), slice(20, 30)):
        apart = play(agent, real_words[:60][rows], batch_size=7)
        pd.testing.assert_frame_equal(apart, together.iloc[rows].reset_index(drop=True))


@pytest.mark.parametrize("name", [name for name in AGENTS if not make_agent(name).uses_lives])
def test_an_agent_that_ignores_lives_guesses_the_same_with_more(name):
    agent = make_agent(name, seed=1).fit(WORDS[::2])
    few, many = (play(agent, WORDS, Rules(max_wrong)) for max_wrong in (2, 12))
    assert few["won"].sum() < many["won"].sum()
    assert (few["won"] == many["won"] & (many["wrong_guesses"] < 2)).all()
    for start, letters in zip(few["letters"], many["letters"], strict=True):
        assert letters.startswith(start)
