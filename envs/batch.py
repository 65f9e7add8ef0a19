"""Base class of the vector environments: N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hangman_lab.envs.counter_rng import new_stream
from hangman_lab.envs.errors import InputError, as_array, check_choice, check_integer, check_options
from hangman_lab.envs.games import ALL, Games, Index, Obs, Secrets
from hangman_lab.envs.rendering import Drawing
from hangman_lab.envs.rewards import Reward, compute_rewards
from hangman_lab.envs.single import RENDER_FPS


class BatchEnv(VectorEnv[Obs, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Seeds, resets, steps, truncates and renders N games as one batch.

    Returned arrays have the layout of Gymnasium's ``SyncVectorEnv``; later steps do not change
    them.

    Parameters
    ----------
    make_games : callable
        Takes the number of games and returns them.
    secrets : Secrets
    reward : Reward
    num_envs : int
        Number of games.
    max_episode_steps : int, optional
        Truncates a game after this many steps; None and -1 are no limit.
    autoreset_mode : AutoresetMode or str
        ``NEXT_STEP`` (the step after an end starts the next game and ignores the action),
        ``SAME_STEP`` (the step that ends a game starts the next; the end is in
        ``info["final_obs"]`` and ``info["final_info"]``) or ``DISABLED`` (``reset`` with a
        ``reset_mask`` starts the next game; until then ``step`` raises ``ResetNeeded``).
    render_mode : str, optional
        ``"ansi"`` or ``"rgb_array"``.

    Raises
    ------
    InputError
        If an argument is out of its range.
    """

    metadata = {  # noqa: RUF012 - an instance variable in Gymnasium
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    max_episode_steps: int | None = None

    def __init__(
        self,
        make_games: Callable[[int], Games[Any]],
        secrets: Secrets,
        reward: Reward,
        num_envs: int,
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
        render_mode: str | None,
    ) -> None:
        if max_episode_steps is not None and not np.array_equal(max_episode_steps, -1):
            self.max_episode_steps = check_integer("max_episode_steps", max_episode_steps, 1)
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        if not isinstance(autoreset_mode, AutoresetMode):
            check_choice("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = check_integer("num_envs", num_envs, 1)
        self.render_mode = render_mode
        self._games = make_games(self.num_envs)
        self._secrets = secrets
        self._reward = reward
        self._begun = False
        self._streams = np.zeros(self.num_envs, dtype=np.uint64)
        self._episodes, self._steps = np.zeros((2, self.num_envs), dtype=np.int64)
        self._to_reset = np.zeros(self.num_envs, dtype=np.bool_)
        self._all = np.ones(self.num_envs, dtype=np.bool_)
        self.single_observation_space = self._games.observation_space
        self.single_action_space = self._games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Obs, dict[str, Any]]:
        """Start new games.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            An int seeds game ``i`` with ``seed + i``. A game whose seed is None continues its
            stream of words.
        options : dict, optional
            ``"word"``, a str or a sequence of str or None, sets the secret words; for None, a word
            is drawn. ``"reset_mask"``, an array of bool of shape (num_envs,), selects the games to
            reset; the rest continue.

        Raises
        ------
        InputError
            If an option is unknown, the number of seeds or words is not ``num_envs``, a seed or a
            word is invalid, or the mask has another shape or dtype or selects no game.
        gymnasium.error.ResetNeeded
            If the first call of ``reset`` has a mask.
        """
        options = check_options(options, "word", "reset_mask")
        games = self._games_to_reset(options.get("reset_mask"))
        word: Any = options.get("word")
        words = list(word) if as_array("options", word).ndim else [word] * self.num_envs
        if len(words) != self.num_envs:
            raise InputError(f"options: {len(words)} words for {self.num_envs} games")
        is_forced = np.array([words[game] is not None for game in games])
        forced = self._secrets.encode([words[game] for game in games[is_forced]])
        self._seed_streams(seed, games)
        self._start(games[~is_forced])
        self._start(games[is_forced], forced)
        self._to_reset[games] = False
        return self._games.observe_in_space(), self._infos(games)

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[Obs, npt.NDArray, npt.NDArray, npt.NDArray, dict[str, Any]]:
        """Take one action in every game; ``actions`` has the shape (num_envs,).

        Raises
        ------
        InputError
            If the shape is wrong, or an action is not an integer in the action space.
        gymnasium.error.ResetNeeded
            If ``reset`` was never called, or if the autoreset mode is ``DISABLED`` and a game that
            has ended was not reset.
        """
        rewards, terminated, truncated = self._step_without_reset(actions)
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = (terminated | truncated).nonzero()[0]
            if len(ended):
                infos = self._final_infos(ended)
                self._start(ended)
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            games = self._to_reset.nonzero()[0]
            self._start(games)
            rewards[games] = 0.0
            # The ignored action may have ended a game that had only been truncated.
            terminated[games] = False
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._to_reset = terminated | truncated
        return self._games.observe_in_space(), rewards, terminated, truncated, infos | self._infos()

    def _step_without_reset(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Take one action in every game, without autoreset; return rewards and ends."""
        self._require_reset("step")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._to_reset.any():
            raise ResetNeeded(
                f"Cannot call step: games {np.flatnonzero(self._to_reset).tolist()} are over, "
                'call reset(options={"reset_mask": ...}) first'
            )
        actions = as_array("actions", actions)
        try:
            result = self._games.guess(actions)
        except InputError:
            if actions.shape != self._to_reset.shape or not self._to_reset.any():
                raise
            # The ignored actions need not be in the action space.
            result = self._games.guess(np.where(self._to_reset, 0, actions))
        terminated, rewards = result.won | result.lost, compute_rewards(self._reward, result)
        self._steps += 1
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        if self.max_episode_steps is not None:
            truncated = (self._steps >= self.max_episode_steps) & ~self._to_reset
        return rewards, terminated, truncated

    def _start(self, games: npt.NDArray[np.int64], secrets: Any = None) -> None:
        """Start the next episode of ``games``; if ``secrets`` is None, they are drawn."""
        if not len(games):
            return
        if secrets is None:
            secrets = self._secrets.draw(self._streams[games], self._episodes[games])
        self._games.start(games, secrets)
        self._episodes[games] += 1
        self._steps[games] = 0

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secret word of each game, for display only; they are not in the observations."""
        self._require_reset("secrets")
        return tuple(self._games.secret(game) for game in range(self.num_envs))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, shape (num_envs, actions)."""
        return self._games.action_masks()

    def render(self) -> tuple[Drawing, ...] | None:
        """Return each game as text (``ansi``) or as an image (``rgb_array``)."""
        if self.render_mode is None:
            return None
        self._require_reset("render")
        return tuple(self._games.draw(game, self.render_mode) for game in range(self.num_envs))

    def _require_reset(self, caller: str) -> None:
        if not self._begun:
            raise ResetNeeded(f"Cannot call {caller}: call reset first")

    def _games_to_reset(self, mask: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
        """Return the games selected by a reset mask; all games if it is None."""
        if mask is None:
            return np.arange(self.num_envs)
        self._require_reset("reset with a mask")
        is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not is_mask or mask.shape != (self.num_envs,) or not mask.any():
            raise InputError(
                f"options: reset_mask must be an array of bool of shape ({self.num_envs},) "
                "with at least one True"
            )
        return np.flatnonzero(mask)

    def _seed_streams(
        self, seed: int | Sequence[int | None] | None, games: npt.NDArray[np.int64]
    ) -> None:
        """Start new streams for games with a seed, and for all games at the first reset."""
        if seed is None and not self._begun:
            # Unseeded streams come from the environment's own generator.
            self._streams[:] = [new_stream(self.np_random) for _ in games]
            self._begun = True
        if seed is None:
            return
        seeds: Any = seed
        if as_array("seed", seeds).ndim == 0:
            first = check_integer("seed", seed, 0)
            seeds = range(first, first + self.num_envs)
        if len(seeds) != self.num_envs:
            raise InputError(f"seed: {len(seeds)} seeds for {self.num_envs} games")
        seeds = [None if each is None else check_integer("seed", each, 0) for each in seeds]
        for game in games:
            if self._begun and seeds[game] is None:
                continue
            generator, used = seeding.np_random(seeds[game])
            self._streams[game] = new_stream(generator)
            self._episodes[game] = 0
            if game == 0:
                self._np_random, self._np_random_seed = generator, used
        self._begun = True

    def _infos(self, games: Index = ALL) -> dict[str, Any]:
        """Return the infos of ``games`` in Gymnasium's layout, with its masks ``_name``."""
        infos = self._games.infos()
        if games is ALL:
            return infos | {f"_{name}": self._all.copy() for name in infos}
        here = np.zeros(self.num_envs, np.bool_)
        here[games] = True
        for array in infos.values():
            array[~here] = 0
        return infos | {f"_{name}": here.copy() for name in infos}

    def _final_infos(self, ended: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in Gymnasium's layout."""
        here = np.zeros(self.num_envs, dtype=np.bool_)
        here[ended] = True
        last = self._games.observe_in_space(ended)
        final_obs = np.full(self.num_envs, None, dtype=object)
        rows = zip(*last.values(), strict=True)
        final_obs[ended] = [dict(zip(last, row, strict=True)) for row in rows]
        return {
            "final_obs": final_obs,
            "_final_obs": here,
            "final_info": self._infos(ended),
            "_final_info": here.copy(),
        }
