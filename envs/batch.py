"""The base of the vector environments: N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envs.errors import check_choice
from envs.games import ALL, Arrays, Index
from envs.keyed_random import new_stream
from envs.single import RENDER_FPS
from envs.task import Task, make_task

_AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


class BatchVectorEnv(VectorEnv[Arrays, npt.NDArray[np.int64], npt.NDArray]):
    """N games that are played as one batch: it seeds, resets and truncates the games of its task.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a single environment that was
    seeded with ``s + i``: the same words, observations, rewards and ends. What is returned is laid
    out as Gymnasium's ``SyncVectorEnv`` has it, and left alone by later steps.

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
    render_mode : str, optional
        One of ``metadata["render_modes"]``.
    **options
        Those of the task.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "autoreset_modes": list(_AUTORESET_MODES),
    }
    task_type: ClassVar[type[Task]]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs: {num_envs} is below 1")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps: {max_episode_steps} is below 1")
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode not in _AUTORESET_MODES:
            raise ValueError(f"autoreset_mode: {autoreset_mode} is not one of {_AUTORESET_MODES}")
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.max_episode_steps = max_episode_steps
        self.render_mode = render_mode
        self._task = make_task(self.task_type, num_envs, **options)
        self._streams: npt.NDArray[np.uint64] | None = None
        self._episodes = np.zeros(num_envs, dtype=np.int64)
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._to_reset = np.zeros(num_envs, dtype=np.bool_)
        self._all = np.ones(num_envs, dtype=np.bool_)
        self.single_observation_space = self._task.observation_space
        self.single_action_space = self._task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
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
        return self._task.games.observe(), self._infos()

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[
        Arrays,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Act once in every game; ``actions`` has the shape (num_envs,).

        Raises
        ------
        ValueError
            If ``reset`` was never called, the shape is another, or an action is out of range.
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
        return self._task.games.observe(), rewards, terminated, truncated, infos | self._infos()

    def act(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Act once in every game and begin none.

        Returns
        -------
        rewards, terminated, truncated : ndarray, shape (num_envs,)

        Raises
        ------
        ValueError
            As :meth:`step`.
        """
        if self._streams is None:
            raise ValueError("step: call reset first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions: shape {actions.shape} is not ({self.num_envs},)")
        rewards, terminated = self._task.play(actions)
        self._steps += 1
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        if self.max_episode_steps is not None:
            truncated = (self._steps >= self.max_episode_steps) & ~self._to_reset
        return rewards, terminated, truncated

    def begin(self, games: npt.NDArray[np.int64], words: Sequence[str] | None = None) -> None:
        """Begin the next episode of ``games``, with the secrets ``words`` or drawn ones."""
        if not len(games):
            return
        self._task.begin(games, self._streams[games], self._episodes[games], words)
        self._episodes[games] += 1
        self._steps[games] = 0

    @property
    def episode_lengths(self) -> npt.NDArray[np.int64]:
        """The steps since each game began, shape (num_envs,)."""
        return self._steps.copy()

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """The games that are won, shape (num_envs,)."""
        return self._task.games.won

    def observe(self, games: Index = ALL) -> Arrays:
        """Return copies of the observations of ``games`` as they stand."""
        return self._task.games.observe(games)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, shape (num_envs, actions)."""
        return self._task.action_masks()

    def render(self) -> tuple[str | npt.NDArray[np.uint8], ...] | None:
        """Return each game as text (``ansi``) or picture (``rgb_array``)."""
        if self.render_mode is None:
            return None
        return tuple(self._task.render(game, self.render_mode) for game in range(self.num_envs))

    def get_state(self) -> Arrays:
        """Return copies of all that the coming games depend on, by name."""
        if self._streams is None:
            raise ValueError("get_state: call reset first")
        return {f"games.{name}": array for name, array in self._task.games.get_state().items()} | {
            "streams": self._streams.copy(),
            "episodes": self._episodes.copy(),
            "steps": self._steps.copy(),
            "to_reset": self._to_reset.copy(),
        }

    def set_state(self, state: Arrays) -> None:
        """Go on from what :meth:`get_state` of an environment with the same words returned.

        Raises
        ------
        ValueError
            If an array is missing or has another shape.
        """
        prefix = "games."
        self._task.games.set_state(
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

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for name, array in self._task.infos().items():
            infos[name] = array
            infos[f"_{name}"] = self._all.copy()
        return infos

    def _final_infos(self, ended: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in Gymnasium's layout."""
        here = np.zeros(self.num_envs, dtype=np.bool_)
        here[ended] = True
        last = self._task.games.observe(ended)
        final_obs = np.full(self.num_envs, None, dtype=object)
        final_obs[ended] = [
            dict(zip(last, rows, strict=True)) for rows in zip(*last.values(), strict=True)
        ]
        final_info: dict[str, Any] = {}
        for name, array in self._task.infos(ended).items():
            final_info[name] = np.zeros((self.num_envs, *array.shape[1:]), dtype=array.dtype)
            final_info[name][ended] = array
            final_info[f"_{name}"] = here.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": here,
            "final_info": final_info,
            "_final_info": here.copy(),
        }
