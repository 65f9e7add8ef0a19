"""Reward shaping: each reward is computed here, from what the rules report of a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from envs.errors import check_choice
from envs.hangman.rules import Step


class Reward(Protocol):
    """Turns the report of a guess into rewards."""

    def __call__(self, step: Step, max_wrong: int) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        ...


@dataclass(frozen=True)
class SparseReward:
    """``win`` for winning, ``loss`` for losing, 0 otherwise."""

    win: float = 1.0
    loss: float = -1.0

    def __call__(self, step: Step, max_wrong: int) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        return self.win * step.won + self.loss * step.lost


@dataclass(frozen=True)
class DenseReward:
    """``hit`` for each newly shown place, ``miss`` for a lost life, ``win`` or ``loss`` at the end.

    It changes what is optimal: a guess that uncovers many places is paid even where another
    letter makes winning likelier.
    """

    hit: float = 0.1
    miss: float = -0.2
    win: float = 1.0
    loss: float = -1.0

    def __call__(self, step: Step, max_wrong: int) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        return (
            self.hit * step.newly_shown
            + self.miss * step.lost_life
            + self.win * step.won
            + self.loss * step.lost
        )


@dataclass(frozen=True)
class PotentialReward:
    """The sparse reward plus ``discount * potential(after) - potential(before)``.

    The potential is ``shown`` times the fraction of places shown plus ``lives`` times the fraction
    of lives left, and 0 at the end of a game. ``discount`` must be the learner's; then the optimal
    policy is that of the sparse reward.

    References
    ----------
    Ng, Harada and Russell, "Policy invariance under reward transformations", ICML 1999.
    """

    discount: float = 1.0
    shown: float = 0.5
    lives: float = 0.5
    win: float = 1.0
    loss: float = -1.0

    def __call__(self, step: Step, max_wrong: int) -> npt.NDArray[np.float64]:
        """Return the reward of each game, shape (N,)."""
        before = self._potential(step.shown_before / step.lengths, step.lives_before / max_wrong)
        after = self._potential(step.shown / step.lengths, step.lives / max_wrong)
        after = np.where(step.won | step.lost, 0.0, after)
        return self.win * step.won + self.loss * step.lost + self.discount * after - before

    def _potential(
        self, shown: npt.NDArray[np.float64], lives: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        return self.shown * shown + self.lives * lives


REWARDS: dict[str, type[Reward]] = {
    "sparse": SparseReward,
    "dense": DenseReward,
    "potential": PotentialReward,
}


def make_reward(reward: str | Reward, **parameters: Any) -> Reward:
    """Return the reward of that name with its parameters, or the object itself.

    Raises
    ------
    ValueError
        If no reward has that name.
    """
    if not isinstance(reward, str):
        return reward
    check_choice("reward", reward, REWARDS)
    return REWARDS[reward](**parameters)
