"""Observations from games in the middle of play, for tests of agents."""

import re
from typing import Any, cast

import numpy as np

from hangman_lab.envs.encoding import ALPHABET, encode_words, letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import Rules


def observe(word, letters, max_wrong=26):
    """The batch of one observation of ``word`` after guessing ``letters``."""
    return Game(word, Rules(max_wrong), letters).observations


def matching(words, pattern, excluded):
    """The words that agree with a masked word and have no excluded letter behind a blank."""
    blank = f"[^{''.join(excluded)}]" if excluded else "."
    expression = re.compile(pattern.replace("_", blank))
    return [word for word in words if expression.fullmatch(word)]


def letters_of(guessed):
    """The guessed letters of a game, shape (26,), as text."""
    return "".join(ALPHABET[letter] for letter in np.flatnonzero(guessed))


def families(words, letter):
    """The words by the host's answer to a letter: whether it is at each place."""
    answers = {}
    for word in words:
        answers.setdefault(tuple(other == letter for other in word), []).append(word)
    return answers


def won_greedily(words, weights, lives, guessed=""):
    """The words that are won by guessing the letter that most weight contains."""
    if lives == 0:
        return set()
    mass = {
        letter: sum(weights[word] for word in words if letter in word)
        for letter in sorted({*"".join(words)} - {*guessed})
    }
    if not mass:
        return {*words}
    letter = max(mass, key=mass.__getitem__)
    return set().union(
        *(
            won_greedily(family, weights, lives - (not any(answer)), guessed + letter)
            for answer, family in families(words, letter).items()
        )
    )


def random_states(words, seed=0, max_turns=12):
    """Observations of unfinished games on ``words``, each after some random guesses."""
    random = np.random.default_rng(seed)
    secrets = encode_words(words)
    games = HangmanGames(len(words), secrets.width, Rules())
    games.start(slice(None), secrets)
    # Frequent letters first, so that words are partly shown before the lives are used up.
    letters = np.array([letter_index(letter) for letter in "esiarntolcdupmghbyfvkwzxqj"])
    order = np.argsort(random.random((len(words), 26)) + np.linspace(0, 1, 26), axis=1)
    turns = random.integers(0, max_turns, size=len(words))
    states: dict[str, Any] = {**games.observe()}
    for turn in range(max_turns):
        games.guess(letters[order[:, turn]])
        goes_on = ~games.over & (turn < turns)
        for name, array in games.observe().items():
            states[name][goes_on] = array[goes_on]
    return cast(Observations, states)
