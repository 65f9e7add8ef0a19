"""N games of Hangman as a vector environment of Gymnasium, one batch of arrays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hangman_lab.envs.counter_rng import new_stream
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.errors import (
    InputError,
    as_array,
    check_choice,
    check_integer,
    check_options,
    check_seeds,
    check_state,
)
from hangman_lab.envs.hangman.games import ALL, Index
from hangman_lab.envs.hangman.hosts import make_games
from hangman_lab.envs.hangman.observation import Observations, make_observation_space
from hangman_lab.envs.hangman.rules import Host, RepeatedGuess, Rules
from hangman_lab.envs.plain_data import PlainSpec
from hangman_lab.envs.rendering import Drawing
from hangman_lab.envs.rewards import RewardLike, compute_rewards, make_reward
from hangman_lab.envs.secret_words import Part, SecretWords
from hangman_lab.envs.single import RENDER_FPS
from hangman_lab.envs.words import WordsLike


class EndedGames(NamedTuple):
    """The E games that a step ended, before the next games started."""

    games: npt.NDArray[np.int64]  # (E,): their indices in the batch
    observations: Observations
    action_masks: npt.NDArray[np.int8]  # (E, 26)
    won: npt.NDArray[np.bool_]  # (E,)
    steps: npt.NDArray[np.int64]  # (E,): the length of the episode


Seed = int | Sequence[int | None] | None
# The arrays that future steps depend on, beside those of the games.
_STATE_NAMES = ("streams", "episodes", "steps", "to_reset")


class HangmanVectorEnv(PlainSpec, VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N games of :class:`envs.hangman.env.HangmanEnv`, whose arguments it takes, as one batch.

    Game ``i`` of a batch seeded with ``s`` equals the game of a single environment seeded with
    ``s + i``: it has the same words, observations, rewards and ends. Returned arrays have the
    layout of Gymnasium's ``SyncVectorEnv``; later steps do not change them. InputError if an
    argument is out of its range.

    Parameters
    ----------
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
    """

    metadata = {  # noqa: RUF012 - an instance variable in Gymnasium
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    max_episode_steps: int | None = None

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        *,
        words: WordsLike | None = None,
        split: Part | None = None,
        max_wrong: int = Rules.max_wrong,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        reward: RewardLike = "sparse",
        repeated_guess: RepeatedGuess = Rules.repeated_guess,
        host: Host = Rules.host,
        render_mode: str | None = None,
    ) -> None:
        #: The rules of its games.
        self.rules = Rules(max_wrong=max_wrong, repeated_guess=repeated_guess, host=host)
        #: The number of wrong guesses that loses a game.
        self.max_wrong = self.rules.max_wrong
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
        self._secrets = SecretWords(words, min_length, max_length, host == "random", split)
        self._games = make_games(self.rules, self._secrets.encoded, self.num_envs)
        self._reward = make_reward(reward)
        self._was_reset = False
        self._streams = np.zeros(self.num_envs, dtype=np.uint64)
        self._episodes, self._steps = np.zeros((2, self.num_envs), dtype=np.int64)
        self._to_reset = np.zeros(self.num_envs, dtype=np.bool_)
        space = make_observation_space(self._secrets.width, self.rules)
        self.single_observation_space: Any = space
        self.single_action_space: Any = spaces.Discrete(NUM_LETTERS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
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
        mask = options.get("reset_mask")
        if mask is not None:
            self._require_reset("reset with a mask")
            is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
            if not is_mask or mask.shape != (self.num_envs,) or not mask.any():
                what = f"an array of bool of shape ({self.num_envs},) with at least one True"
                raise InputError(f"options: reset_mask must be {what}")
        games = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
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
        return self._observe(), self._infos(games)

    def step(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[Observations, npt.NDArray, npt.NDArray, npt.NDArray, dict[str, Any]]:
        """Take one action in every game; ``actions`` has the shape (num_envs,).

        InputError if the shape is wrong, or an action is not an integer in the action space;
        gymnasium.error.ResetNeeded if ``reset`` was never called, or if the autoreset mode is
        ``DISABLED`` and a game that has ended was not reset.
        """
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            observations, rewards, terminated, truncated, ended = self.step_and_restart(actions)
            final = {} if ended is None else self._final_infos(ended)
            return observations, rewards, terminated, truncated, final | self._infos()
        rewards, terminated, truncated = self._step_without_reset(actions)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            games = self._to_reset.nonzero()[0]
            self._start(games)
            rewards[games] = 0.0
            # The ignored action may have ended a game that had only been truncated.
            terminated[games] = False
        self._to_reset = terminated | truncated
        observations = self._observe()
        return observations, rewards, terminated, truncated, self._infos()

    def step_and_restart(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[Observations, npt.NDArray, npt.NDArray, npt.NDArray, EndedGames | None]:
        """Take one action in every game, and start the next game of those that end.

        This is :meth:`step` with ``SAME_STEP``, with the games that ended, None without any,
        instead of infos.
        """
        rewards, terminated, truncated = self._step_without_reset(actions)
        ended, games = None, (terminated | truncated).nonzero()[0]
        if len(games):
            ended = EndedGames(
                games,
                self._observe(games),
                self._games.action_masks(games).view(np.int8),
                self._games.won[games],
                self._steps[games],
            )
            self._start(games)
        return self._observe(), rewards, terminated, truncated, ended

    def _observe(self, games: Index = ALL) -> Observations:
        return self._games.observe(games, np.int16)  # the dtype of the space

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
            if actions.shape != self._to_reset.shape or actions.dtype.kind not in "iu":
                raise
            # The ignored actions need not be in the action space.
            result = self._games.guess(np.where(self._to_reset, 0, actions))
        self._steps += 1
        terminated, rewards = result.won | result.lost, compute_rewards(self._reward, result)
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

    def prefer(self, words: Collection[str], share: float = 1.0) -> None:
        """Draw this share of the next words from ``words``, and the rest from all: a curriculum.

        Words that are not in the list are not drawn; without any that is, all are drawn alike. The
        choice is not in :meth:`get_state`. InputError unless ``share`` is 0 to 1.
        """
        self._secrets.prefer(words, share)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, shape (num_envs, 26)."""
        return self._games.action_masks()

    def render(self) -> tuple[Drawing, ...] | None:
        """Return each game as text (``ansi``) or as an image (``rgb_array``)."""
        if self.render_mode is None:
            return None
        self._require_reset("render")
        return tuple(self._games.draw(game, self.render_mode) for game in range(self.num_envs))

    def _require_reset(self, caller: str) -> None:
        if not self._was_reset:
            raise ResetNeeded(f"Cannot call {caller}: call reset first")

    def _seed_streams(self, seed: Seed, games: npt.NDArray[np.int64]) -> None:
        """Start new streams for games with a seed, and for all games at the first reset."""
        if seed is None and not self._was_reset:
            # Unseeded streams come from the environment's own generator.
            self._streams[:] = [new_stream(self.np_random) for _ in games]
        elif seed is not None:
            seeds = check_seeds(seed, self.num_envs)
            for game in games:
                if self._was_reset and seeds[game] is None:
                    continue
                generator, used = seeding.np_random(seeds[game])
                self._streams[game] = new_stream(generator)
                self._episodes[game] = 0
                if game == 0:
                    self._np_random, self._np_random_seed = generator, used
        self._was_reset = True

    def _infos(self, games: npt.NDArray[np.int64] | None = None) -> dict[str, Any]:
        """Return the infos of games, by default all, in Gymnasium's layout with masks ``_name``."""
        infos = {"action_mask": self.action_masks().view(np.int8), "won": self._games.won}
        here = self._mask_of(slice(None) if games is None else games)
        for array in infos.values() if games is not None else ():
            array[~here] = 0
        return infos | {f"_{name}": here.copy() for name in infos}

    def _mask_of(self, games: npt.NDArray[np.int64] | slice) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.num_envs, dtype=np.bool_)
        mask[games] = True
        return mask

    def _final_infos(self, ended: EndedGames) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in Gymnasium's layout."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        rows = zip(*ended.observations.values(), strict=True)
        final_obs[ended.games] = [dict(zip(ended.observations, row, strict=True)) for row in rows]
        final_info: dict[str, Any] = {}
        for name, values in (("action_mask", ended.action_masks), ("won", ended.won)):
            final_info[name] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            final_info[name][ended.games] = values
            final_info[f"_{name}"] = self._mask_of(ended.games)
        final = {"final_obs": final_obs, "final_info": final_info}
        return final | {f"_{name}": self._mask_of(ended.games) for name in final}

    def get_state(self) -> dict[str, Any]:
        """Return copies of all arrays that future steps depend on, by name."""
        self._require_reset("get_state")
        state = {name: getattr(self, f"_{name}").copy() for name in _STATE_NAMES}
        return state | {"games": self._games.get_state()}

    def set_state(self, state: dict[str, Any]) -> Observations:
        """Restore a state returned by :meth:`get_state` of an environment with the same arguments.

        Returns the observations. InputError if an array is missing, has another shape or dtype, or
        is not that of possible games.
        """
        arrays = {name: getattr(self, f"_{name}") for name in _STATE_NAMES}
        check_state(state, arrays)
        steps, to_reset = state["steps"], state["to_reset"]
        limit = np.inf if self.max_episode_steps is None else self.max_episode_steps
        if state["episodes"].min() < 1 or not 0 <= steps.min() <= steps.max() <= limit:
            raise InputError("state: 'episodes' has a number below 1, or 'steps' one out of range")
        if self.autoreset_mode is AutoresetMode.SAME_STEP and to_reset.any():
            raise InputError("state: 'to_reset' has a game that is over and is not reset")
        self._games.set_state(state.get("games"), steps, steps == limit, to_reset)
        for name, array in arrays.items():
            array[:] = state[name]
        self._was_reset = True
        return self._observe()
