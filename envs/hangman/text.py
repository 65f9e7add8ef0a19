"""Hangman as text, for language models: observations are lines of text, actions are letters."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium import spaces

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.observation import Observation
from hangman_lab.envs.hangman.rendering import masked_word, wrong_letters


def describe(observation: Observation) -> str:
    """Return an observation as text: ``word: _ o _ _, wrong letters: e t, lives: 4``."""
    wrong = " ".join(wrong_letters(observation)) or "none"
    return (
        f"word: {masked_word(observation)}, wrong letters: {wrong}, lives: {observation['lives']}"
    )


class TextEnv(gym.Wrapper):
    """``HangmanEnv`` with the text of :func:`describe` as observation and letters as actions.

    ``step`` ignores case and surrounding white space. ValueError if the action is not a letter.
    """

    def __init__(self, env: gym.Env) -> None:
        super().__init__(env)
        self.observation_space = spaces.Text(256, charset=f"{ALPHABET}_:, 0123456789")
        self.action_space = spaces.Text(1, charset=ALPHABET)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a new game; see ``HangmanEnv.reset``."""
        observation, info = self.env.reset(seed=seed, options=options)
        return describe(observation), info

    def step(self, action: str) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Guess a letter; ValueError if ``action`` is not one letter a to z."""
        letter = action.strip().lower()
        if letter not in self.action_space:
            raise ValueError(f"action: {action!r} is not a letter a to z")
        observation, reward, terminated, truncated, info = self.env.step(letter_index(letter))
        return describe(observation), reward, terminated, truncated, info
