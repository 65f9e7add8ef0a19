"""Cats and Dogs and Guess the Word as Gymnasium vector environments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from envs.batch import Arrays, BatchVectorEnv
from envs.word_guess.observation import observation_space
from envs.word_guess.options import CATS_AND_DOGS, GUESS_THE_WORD, GameOptions, Variant
from envs.word_guess.rendering import RENDER_FPS, render_rgb_array, render_text
from envs.word_guess.rewards import reward


class WordGuessVectorEnv(BatchVectorEnv):
    """What the two games share; use :class:`CatsAndDogsVectorEnv` or its sibling.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a single environment that was
    seeded with ``s + i``: the same words, observations, rewards and ends.

    Parameters
    ----------
    num_envs, max_episode_steps, autoreset_mode
        As for :class:`BatchVectorEnv`.
    words, allowed, word_length, max_guesses, opponent, mask, reward, render_mode
        As for :class:`envs.word_guess.env.CatsAndDogsEnv`; ``human`` is for single games.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    metadata = {**BatchVectorEnv.metadata, "render_fps": RENDER_FPS}  # noqa: RUF012
    variant: Variant

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        words: Sequence[str] | None = None,
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        opponent: str = "random",
        mask: str = "all",
        reward: str = "sparse",
        render_mode: str | None = None,
    ) -> None:
        self._options = GameOptions(
            self.variant, words, allowed, word_length, max_guesses, opponent, mask, reward
        )
        super().__init__(
            num_envs,
            observation_space(self._options.rule, len(self.allowed), self._options.max_guesses),
            spaces.Discrete(len(self.allowed)),
            max_episode_steps,
            autoreset_mode,
            render_mode,
        )
        self._games = self._options.make_games(num_envs)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._options.words.allowed

    def _begin(self, games: npt.NDArray[np.int64], words: Sequence[str] | None) -> None:
        secrets = self._options.secrets(self._streams[games], self._episodes[games], words)
        self._games.start(games, secrets)

    def _play(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        if actions.min() < 0:
            raise ValueError(f"an action is outside 0..{len(self.allowed) - 1}")
        playing = ~self._games.over
        step = self._games.guess(actions)
        return reward(self._options.reward, step) * playing, step.won | step.lost

    def _get_info(self, games: npt.NDArray[np.int64] | None = None) -> Arrays:
        won = self._games.won
        return {
            "action_mask": self._options.action_mask(self._games, games),
            "won": won if games is None else won[games],
        }

    def _render_frame(self, game: int) -> str | npt.NDArray[np.uint8]:
        draw = render_text if self.render_mode == "ansi" else render_rgb_array
        observation = self._games.observe(np.array([game]))
        secret = self.allowed[self._games.secrets[game]] if self._games.over[game] else None
        return draw(
            {name: array[0] for name, array in observation.items()},
            self._options.rule,
            self.allowed,
            bool(self._games.won[game]),
            secret,
        )


class CatsAndDogsVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.CatsAndDogsEnv`, played as one batch."""

    variant = CATS_AND_DOGS


class GuessTheWordVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.GuessTheWordEnv`, played as one batch."""

    variant = GUESS_THE_WORD
