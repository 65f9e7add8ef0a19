"""Hangman as single and batched environments play it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.encoding import MAX_LENGTH, NUM_LETTERS, decode
from envs.games import ALL, Index
from envs.hangman.observation import DEFAULT_MAX_WRONG, Observation, observation_space
from envs.hangman.rendering import render_rgb_array, render_text
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.rules import HangmanGames
from envs.hangman.secrets import SecretWords
from envs.task import Drawing, Outcome, Task


class HangmanTask(Task):
    """N games of Hangman.

    Parameters
    ----------
    num_games : int
    words, max_wrong, min_length, max_length, sampling, reward, repeated_guess
        As for :class:`envs.hangman.env.HangmanEnv`.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    games: HangmanGames

    def __init__(
        self,
        num_games: int,
        words: Sequence[str] | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: str = "uniform",
        reward: str | Reward = "sparse",
        repeated_guess: str = "life",
    ) -> None:
        self._secrets = SecretWords(words, min_length, max_length, sampling)
        self._reward = make_reward(reward)
        self.games = HangmanGames(num_games, self._secrets.width, max_wrong, repeated_guess)
        self.observation_space = observation_space(self._secrets.width, max_wrong)
        self.action_space = spaces.Discrete(NUM_LETTERS)

    def play(self, actions: npt.NDArray[np.integer]) -> Outcome:
        """Guess a letter in every game."""
        step = self.games.guess(actions)
        return self._reward(step, self.games.max_wrong), step.won | step.lost

    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (games, 26)."""
        return self.games.open_letters(games)

    def secret(self, game: int) -> str:
        """Return the hidden word of one game."""
        return decode(self.games.secrets[game])

    def _draw(self, mode: str, observation: Observation, secret: str | None) -> Drawing:
        """Draw one game with the gallows."""
        draw = render_rgb_array if mode == "rgb_array" else render_text
        return draw(observation, self.games.max_wrong, secret)
