"""Hangman as a Gymnasium vector environment: N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envs.encoding import MAX_LENGTH, NUM_LETTERS, EncodedWords
from envs.hangman.env import HangmanEnv
from envs.hangman.observation import Observation, action_mask, observation_space
from envs.hangman.rendering import render_rgb_array, render_text
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.hangman.secrets import SecretWords
from envs.keyed_random import new_stream

_AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


class HangmanVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray]):
    """N games of :class:`HangmanEnv`, played as one batch.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a ``HangmanEnv`` that was
    seeded with ``s + i``: the same words, observations, rewards and ends. Observations, rewards
    and infos are those of Gymnasium's ``SyncVectorEnv``; later steps leave them alone.

    Parameters
    ----------
    num_envs : int
        Number of games.
    max_episode_steps : int, optional
        Truncates a game after so many steps.
    autoreset_mode : AutoresetMode or str
        ``NEXT_STEP`` (the step after an end begins the next game and ignores its action) or
        ``SAME_STEP`` (the step that ends a game begins the next; the end is in
        ``info["final_obs"]`` and ``info["final_info"]``).
    words, max_wrong, min_length, max_length, sampling, reward, repeated_guess, render_mode
        As for :class:`HangmanEnv`; ``human`` is for single games.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": HangmanEnv.metadata["render_fps"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "autoreset_modes": list(_AUTORESET_MODES),
    }

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        words: Sequence[str] | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: str = "uniform",
        reward: str | Reward = "sparse",
        repeated_guess: str = "life",
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs: {num_envs} is below 1")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps: {max_episode_steps} is below 1")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(
                f"render_mode: {render_mode!r} is not one of {self.metadata['render_modes']}"
            )
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode not in _AUTORESET_MODES:
            raise ValueError(f"autoreset_mode: {autoreset_mode} is not one of {_AUTORESET_MODES}")
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.max_episode_steps = max_episode_steps
        self.render_mode = render_mode
        self._secrets = SecretWords(words, min_length, max_length, sampling)
        self._games = HangmanGames(num_envs, self._secrets.width, max_wrong, repeated_guess)
        self._reward = make_reward(reward)
        self._streams: npt.NDArray[np.uint64] | None = None
        self._episodes = np.zeros(num_envs, dtype=np.int64)
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._to_reset = np.zeros(num_envs, dtype=np.bool_)
        self._all = np.ones(num_envs, dtype=np.bool_)

        self.single_observation_space = observation_space(self._secrets.width, max_wrong)
        self.single_action_space = spaces.Discrete(NUM_LETTERS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin new games.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            An int ``s`` seeds game ``i`` with ``s + i``; where it is None, the stream of words
            goes on.
        options : dict, optional
            ``{"word": str}`` or ``{"word": sequence of str or None}`` forces the secret words;
            where it is None, a word is drawn.

        Raises
        ------
        ValueError
            If the number of seeds or words is not that of the games, or a word cannot be used.
        """
        self._seed_streams(seed)
        games = np.arange(self.num_envs)
        if options and "word" in options:
            words = options["word"]
            words = [words] * self.num_envs if isinstance(words, str) else list(words)
            if len(words) != self.num_envs:
                raise ValueError(f"options: {len(words)} words for {self.num_envs} games")
        else:
            words = [None] * self.num_envs
        is_forced = np.array([word is not None for word in words])
        forced = self._secrets.encode([word for word in words if word is not None])
        self._start(games[~is_forced])
        self._start(games[is_forced], forced)
        self._to_reset[:] = False
        return self._games.observe(), self._infos()

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[
        Observation,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Guess one letter in every game; ``actions`` has the shape (num_envs,).

        Raises
        ------
        ValueError
            If ``reset`` was never called, the shape is another, or an action is outside 0..25.
        """
        if self._streams is None:
            raise ValueError("step: call reset first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions: shape {actions.shape} is not ({self.num_envs},)")
        step = self._games.guess(actions)
        self._steps += 1
        terminated = step.won | step.lost
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        if self.max_episode_steps is not None:
            truncated = (self._steps >= self.max_episode_steps) & ~self._to_reset
        rewards = self._reward(step, self._games.max_wrong)

        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = np.flatnonzero(terminated | truncated)
            if len(ended):
                infos = self._final_infos(ended)
                self._start(ended)
        else:
            games = np.flatnonzero(self._to_reset)
            self._start(games)
            rewards[games] = 0.0
            # A game that was truncated was still open to the action that is to be ignored.
            terminated[games] = False
            self._to_reset = terminated | truncated
        return self._games.observe(), rewards, terminated, truncated, infos | self._infos()

    def observe(self) -> Observation:
        """Return copies of the observations of the games as they stand."""
        return self._games.observe()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (num_envs, 26)."""
        return action_mask(self._games.observe()["guessed"]).astype(np.bool_)

    def render(self) -> tuple[str | npt.NDArray[np.uint8], ...] | None:
        """Return each game as text (``ansi``) or picture (``rgb_array``)."""
        if self.render_mode is None:
            return None
        draw = render_text if self.render_mode == "ansi" else render_rgb_array
        games = self._games.observe()
        return tuple(
            draw({key: games[key][game] for key in games}, self._games.max_wrong)
            for game in range(self.num_envs)
        )

    def get_state(self) -> dict[str, npt.NDArray]:
        """Return copies of all that the coming games depend on, by name."""
        if self._streams is None:
            raise ValueError("get_state: call reset first")
        state = {f"games.{name}": array for name, array in self._games.get_state().items()}
        state |= {
            "streams": self._streams.copy(),
            "episodes": self._episodes.copy(),
            "steps": self._steps.copy(),
            "to_reset": self._to_reset.copy(),
        }
        return state

    def set_state(self, state: dict[str, npt.NDArray]) -> None:
        """Go on from what :meth:`get_state` of an environment with the same words returned.

        Raises
        ------
        ValueError
            If an array is missing or has another shape.
        """
        prefix = "games."
        self._games.set_state(
            {name[len(prefix) :]: array for name, array in state.items() if name.startswith(prefix)}
        )
        self._streams = state["streams"].copy()
        self._episodes = state["episodes"].copy()
        self._steps = state["steps"].copy()
        self._to_reset = state["to_reset"].copy()

    def _seed_streams(self, seed: int | Sequence[int | None] | None) -> None:
        if seed is None:
            if self._streams is None:
                self._streams = np.array(
                    [new_stream(self.np_random) for _ in range(self.num_envs)], dtype=np.uint64
                )
            return
        seeds = [seed + game for game in range(self.num_envs)] if isinstance(seed, int) else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} games")
        if self._streams is None:
            self._streams = np.zeros(self.num_envs, dtype=np.uint64)
            is_new = np.ones(self.num_envs, dtype=np.bool_)
        else:
            is_new = np.array([single is not None for single in seeds])
        for game in np.flatnonzero(is_new):
            generator, used = seeding.np_random(seeds[game])
            self._streams[game] = new_stream(generator)
            if game == 0:
                self._np_random, self._np_random_seed = generator, used
        self._episodes[is_new] = 0

    def _start(self, games: npt.NDArray[np.int64], secrets: EncodedWords | None = None) -> None:
        if secrets is None:
            secrets = self._secrets.draw(self._streams[games], self._episodes[games])
        self._games.start(games, secrets)
        self._episodes[games] += 1
        self._steps[games] = 0

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": action_mask(self._games.observe()["guessed"]),
            "_action_mask": self._all.copy(),
            "won": self._games.won,
            "_won": self._all.copy(),
        }

    def _final_infos(self, ended: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in Gymnasium's layout."""
        here = np.zeros(self.num_envs, dtype=np.bool_)
        here[ended] = True
        last = self._games.observe(ended)
        final_obs = np.full(self.num_envs, None, dtype=object)
        final_obs[ended] = [
            Observation(word=word, guessed=guessed, lives=lives)
            for word, guessed, lives in zip(
                last["word"], last["guessed"], last["lives"], strict=True
            )
        ]
        mask = np.zeros((self.num_envs, NUM_LETTERS), dtype=np.int8)
        mask[ended] = action_mask(last["guessed"])
        return {
            "final_obs": final_obs,
            "_final_obs": here,
            "final_info": {
                "action_mask": mask,
                "_action_mask": here.copy(),
                "won": self._games.won & here,
                "_won": here.copy(),
            },
            "_final_info": here.copy(),
        }
