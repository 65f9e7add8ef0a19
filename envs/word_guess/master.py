"""Guess the Word with guesses as strings: ``master.guess(word)``."""

from __future__ import annotations

from operator import eq
from typing import Any, cast

import gymnasium as gym

from hangman_lab.envs.word_guess.env import WordGuessEnv

NOT_IN_THE_LIST = -1


class Master:
    """The interface of the problem "Guess the Word" for an environment after ``reset``.

    ``env`` is a :class:`WordGuessEnv` of the variant ``guess_the_word``, which may be wrapped;
    wrappers do not see the guesses. ``calls`` counts the calls of :meth:`guess`. TypeError for
    another environment, gymnasium.error.ResetNeeded if no game is in progress.

    Examples
    --------
    >>> words = ["acckzz", "ccbazz", "eiowzz", "abcczz"]
    >>> env = WordGuessEnv(words, variant="guess_the_word")
    >>> _ = env.reset(options={"word": "acckzz"})
    >>> master = Master(env)
    >>> master.guess("ccbazz"), master.guess("aaaaaa"), master.guess("acckzz")
    (3, -1, 6)
    """

    def __init__(self, env: gym.Env) -> None:
        if getattr(env.unwrapped, "variant", None) != "guess_the_word":
            raise TypeError(f"env: {env.unwrapped!r} is not a game of guess_the_word")
        self._env = cast(WordGuessEnv, env.unwrapped)
        if self._env.is_over:
            raise gym.error.ResetNeeded("Cannot start: no game is in progress, call reset first")
        self._limit: int = cast(Any, self._env.observation_space)["guesses"].shape[0]
        self.calls = 0
        self._found = False

    @property
    def passed(self) -> bool:
        """Whether the secret was guessed within the maximum number of guesses."""
        return self._found and self.calls <= self._limit

    def guess(self, word: str) -> int:
        """Return the number of exact matches with the secret, -1 for a word not in the list.

        Calls after the end of the game are also answered and counted.
        """
        self.calls += 1
        if not self._env.is_over:
            self._env.guess(word)
            self._found = word == self._env.secret
        if word not in self._env.allowed:
            return NOT_IN_THE_LIST
        return sum(map(eq, word, self._env.secret))
