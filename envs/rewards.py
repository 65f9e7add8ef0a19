"""Reward functions, computed from the result of a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError, check_choice, check_number, check_numbers

# The largest magnitude of a parameter, so that no reward is infinite.
_LARGEST = 1e100


class Reward(Protocol):
    """Computes rewards from the result of a guess, the ``GuessResult`` of the rules."""

    def __call__(self, result: Any) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""


@dataclass(frozen=True)
class SparseReward:
    """``win`` for winning, ``loss`` for losing, 0 otherwise; for all environments."""

    win: float = 1.0
    loss: float = -1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_number(f"reward.parameters: {name}", value, -_LARGEST, _LARGEST)

    def __call__(self, result: Any) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        return self.win * result.won + self.loss * result.lost


@dataclass(frozen=True)
class DenseReward(SparseReward):
    """For Hangman: sparse, plus ``hit`` per newly shown position and ``miss`` per lost life.

    It changes the optimal policy: a guess that uncovers many positions can be worth more than a
    guess with a higher chance of winning.
    """

    hit: float = 0.1
    miss: float = -0.2

    def __call__(self, result: Any) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        sparse = super().__call__(result)
        return self.hit * result.newly_shown + self.miss * result.lost_life + sparse


@dataclass(frozen=True)
class PotentialReward(SparseReward):
    """For Hangman: sparse, plus ``discount * potential(after) - potential(before)``.

    The potential is ``shown`` times the fraction of positions shown plus ``lives`` times the
    fraction of lives left, and 0 at the end of a game. If ``discount`` is the learner's, the
    optimal policy is that of the sparse reward.

    References
    ----------
    A. Y. Ng, D. Harada and S. Russell, "Policy invariance under reward transformations", ICML 1999.
    """

    discount: float = 1.0
    shown: float = 0.5
    lives: float = 0.5

    def __call__(self, result: Any) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""

        def potential(shown: npt.NDArray, lives: npt.NDArray) -> npt.NDArray[np.float64]:
            return self.shown * (shown / result.lengths) + self.lives * (lives / result.max_wrong)

        before = potential(result.shown - result.newly_shown, result.lives + result.lost_life)
        after = potential(result.shown, result.lives) * (1 - (result.won | result.lost))
        return super().__call__(result) + self.discount * after - before


@dataclass(frozen=True)
class MistakesReward:
    """For word guessing: -1 for each wrong guess, so that the return counts mistakes."""

    def __call__(self, result: Any) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        return result.won - 1.0


HANGMAN_REWARDS: dict[str, type[Reward]] = {
    "sparse": SparseReward,
    "dense": DenseReward,
    "potential": PotentialReward,
}
WORD_GUESS_REWARDS: dict[str, type[Reward]] = {"sparse": SparseReward, "mistakes": MistakesReward}
NAME_OF_REWARD = {kind: name for name, kind in (HANGMAN_REWARDS | WORD_GUESS_REWARDS).items()}
# How an environment is told its reward; a dict has the key ``name`` and may have ``parameters``.
RewardLike = str | Mapping[str, Any] | Reward


def compute_reward(reward: Reward, result: Any) -> float:
    """Return the reward of one game, whose ``result`` has numbers instead of arrays."""
    if type(reward) in HANGMAN_REWARDS.values():
        # Their formulas hold for numbers as for arrays.
        return float(reward(result))
    arrays = {
        name: np.array([value]) for name, value in result._asdict().items() if name != "max_wrong"
    }
    return float(compute_rewards(reward, result._replace(**arrays))[0])


def compute_rewards(reward: Reward, result: Any) -> npt.NDArray[np.float64]:
    """Return the rewards of a guess as a new array of float64, shape (N,).

    Raises InputError if ``reward`` does not return one finite number per game.
    """
    if type(reward) in HANGMAN_REWARDS.values():
        return reward(result)
    return check_numbers("reward", reward(result), result.won.shape).copy()


def make_reward(
    reward: RewardLike, rewards: Mapping[str, type[Reward]] = HANGMAN_REWARDS, **parameters: Any
) -> Reward:
    """Return the named reward with these parameters, or ``reward`` itself if it is an object.

    A dict has the name and, optionally, the parameters: ``{"name": "dense", "parameters": {"hit":
    0.05}}``. Raises InputError if the name, a parameter or a key is unknown, or ``reward`` cannot
    be called.
    """
    if isinstance(reward, Mapping):
        options = dict(reward)
        for key in options:
            check_choice("reward: the key", key, ("name", "parameters"))
        reward, parameters = options.get("name", ""), options.get("parameters") or {}
        if not isinstance(parameters, Mapping):
            raise InputError(f"reward.parameters: {parameters!r} is not a dict")
    if isinstance(reward, str):
        check_choice("reward", reward, rewards)
        allowed = [field.name for field in fields(cast(Any, rewards[reward]))]
        for name in parameters:
            check_choice("reward.parameters", name, allowed)
        return rewards[reward](**parameters)
    of_games = {*HANGMAN_REWARDS.values(), *WORD_GUESS_REWARDS.values()}
    is_of_another_game = isinstance(reward, tuple(of_games.difference(rewards.values())))
    if isinstance(reward, type) or not callable(reward) or is_of_another_game:
        raise InputError(
            f"reward: {reward!r} is neither one of {tuple(rewards)} nor an object that is called "
            "with the result of a guess in this game, for example SparseReward()"
        )
    if parameters:
        raise InputError(f"reward: parameters {sorted(parameters)} are for a name, not an object")
    return reward
