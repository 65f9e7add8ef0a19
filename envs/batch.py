"""The base of the vector environments: N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envs.errors import check_at_least, check_choice
from envs.games import ALL, Arrays, Games, Index, Secrets
from envs.keyed_random import new_stream
from envs.rendering import Drawing
from envs.rewards import Reward
from envs.single import RENDER_FPS

_AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
_STATE_NAMES = ("streams", "episodes", "steps", "to_reset")


class BatchVectorEnv(VectorEnv[Arrays, npt.NDArray[np.int64], npt.NDArray]):
    """Seeds, resets, steps, truncates and renders ``games`` as one batch.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a single environment that was
    seeded with ``s + i``: the same words, observations, rewards and ends. What is returned is laid
    out as Gymnasium's ``SyncVectorEnv`` has it, and left alone by later steps.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "autoreset_modes": list(_AUTORESET_MODES),
    }

    def __init__(
        self,
        games: Games,
        secrets: Secrets,
        reward: Reward,
        draw: Callable[[Any, int, str], Drawing],
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
        render_mode: str | None,
    ) -> None:
        if max_episode_steps is not None:
            check_at_least("max_episode_steps", max_episode_steps, 1)
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode not in _AUTORESET_MODES:
            raise ValueError(f"autoreset_mode: {autoreset_mode} is not one of {_AUTORESET_MODES}")
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = len(games)
        self.max_episode_steps = max_episode_steps
        self.render_mode = render_mode
        self._games, self._secrets, self._reward, self._draw = games, secrets, reward, draw
        self._streams: npt.NDArray[np.uint64] | None = None
        self._episodes = np.zeros(self.num_envs, dtype=np.int64)
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._to_reset = np.zeros(self.num_envs, dtype=np.bool_)
        self.single_observation_space = games.observation_space
        self.single_action_space = games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin new games.

        An int ``seed`` seeds game ``i`` with ``seed + i``; where a seed is None, the stream of
        words continues. The option ``{"word": str}`` or ``{"word": sequence of str or None}``
        forces the secret words; where it is None, a word is drawn. ValueError if the number of
        seeds or words is not that of the games, or a word cannot be used.
        """
        self._seed_streams(seed)
        words: list[str | None] = [None] * self.num_envs
        if options and "word" in options:
            given = options["word"]
            words = [given] * self.num_envs if isinstance(given, str) else list(given)
            if len(words) != self.num_envs:
                raise ValueError(f"options: {len(words)} words for {self.num_envs} games")
        is_forced = np.array([word is not None for word in words])
        self.begin(np.flatnonzero(~is_forced))
        self.begin(np.flatnonzero(is_forced), [word for word in words if word is not None])
        self._to_reset[:] = False
        return self._games.observe(), self._infos()

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[Arrays, npt.NDArray, npt.NDArray, npt.NDArray, dict[str, Any]]:
        """Act once in every game; ``actions`` has the shape (num_envs,).

        ValueError if ``reset`` was never called, the shape is another, or an action is invalid.
        """
        rewards, terminated, truncated = self.act(actions)
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = np.flatnonzero(terminated | truncated)
            if len(ended):
                infos = self._final_infos(ended)
                self.begin(ended)
        else:
            games = np.flatnonzero(self._to_reset)
            self.begin(games)
            rewards[games] = 0.0
            # A game that was truncated was still open to the action that is to be ignored.
            terminated[games] = False
            self._to_reset = terminated | truncated
        return self._games.observe(), rewards, terminated, truncated, infos | self._infos()

    def act(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Act in every game and begin none; return rewards, terminated and truncated."""
        if self._streams is None:
            raise ValueError("step: call reset first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions: shape {actions.shape} is not ({self.num_envs},)")
        step = self._games.guess(actions)
        rewards, terminated = self._reward(step), step.won | step.lost
        self._steps += 1
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        if self.max_episode_steps is not None:
            truncated = (self._steps >= self.max_episode_steps) & ~self._to_reset
        return rewards, terminated, truncated

    def begin(self, games: npt.NDArray[np.int64], words: Sequence[str] | None = None) -> None:
        """Begin the next episode of ``games``, with the secrets ``words`` or drawn ones."""
        if not len(games):
            return
        if words is None:
            secrets = self._secrets.draw(self._streams[games], self._episodes[games])
        else:
            secrets = self._secrets.encode(words)
        self._games.start(games, secrets)
        self._episodes[games] += 1
        self._steps[games] = 0

    @property
    def episode_lengths(self) -> npt.NDArray[np.int64]:
        """The steps since each game began, shape (num_envs,)."""
        return self._steps.copy()

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """The games that are won, shape (num_envs,)."""
        return self._games.won

    def observe(self, games: Index = ALL) -> Arrays:
        """Return copies of the observations of ``games`` as they stand."""
        return self._games.observe(games)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, shape (num_envs, actions)."""
        return self._games.action_masks()

    def render(self) -> tuple[Drawing, ...] | None:
        """Return each game as text (``ansi``) or picture (``rgb_array``)."""
        if self.render_mode is None:
            return None
        return tuple(
            self._draw(self._games, game, self.render_mode) for game in range(self.num_envs)
        )

    def get_state(self) -> dict[str, Any]:
        """Return copies of all that the coming games depend on, by name."""
        if self._streams is None:
            raise ValueError("get_state: call reset first")
        state = {name: getattr(self, f"_{name}").copy() for name in _STATE_NAMES}
        return state | {"games": self._games.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`get_state` of an environment with the same words returned."""
        self._games.set_state(state["games"])
        for name in _STATE_NAMES:
            setattr(self, f"_{name}", state[name].copy())

    def _seed_streams(self, seed: int | Sequence[int | None] | None) -> None:
        """Begin the streams of words that have a seed, or that have not begun."""
        if seed is None and self._streams is None:
            # Unseeded streams come from the environment's own generator.
            self._streams = np.array([new_stream(self.np_random) for _ in range(self.num_envs)])
        if seed is None:
            return
        seeds = [seed + game for game in range(self.num_envs)] if isinstance(seed, int) else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} games")
        is_new = np.array([self._streams is None or single is not None for single in seeds])
        if self._streams is None:
            self._streams = np.zeros(self.num_envs, dtype=np.uint64)
        for game in np.flatnonzero(is_new):
            generator, used = seeding.np_random(seeds[game])
            self._streams[game] = new_stream(generator)
            if game == 0:
                self._np_random, self._np_random_seed = generator, used
        self._episodes[is_new] = 0

    def _infos(self) -> dict[str, Any]:
        """Return the infos in Gymnasium's layout: each with a mask of the games that have it."""
        infos = self._games.infos()
        return infos | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in infos}

    def _final_infos(self, ended: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in Gymnasium's layout."""
        here = np.zeros(self.num_envs, dtype=np.bool_)
        here[ended] = True
        last = self._games.observe(ended)
        final_obs = np.full(self.num_envs, None, dtype=object)
        final_obs[ended] = [
            dict(zip(last, rows, strict=True)) for rows in zip(*last.values(), strict=True)
        ]
        final_info: dict[str, Any] = {}
        for name, array in self._games.infos(ended).items():
            final_info[name] = np.zeros((self.num_envs, *array.shape[1:]), dtype=array.dtype)
            final_info[name][ended] = array
            final_info[f"_{name}"] = here.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": here,
            "final_info": final_info,
            "_final_info": here.copy(),
        }
