"""The interval of a win rate, without the slow imports of :mod:`evaluation.statistics`."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def win_rate_interval(wins: Any, games: Any) -> tuple[Any, Any]:
    """Return the 95% Wilson score interval of win rates, numbers or arrays; (0, 1) for no games.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    rate, square = wins / np.maximum(games, 1), _Z**2
    center = (wins + square / 2) / (games + square)
    half = _Z / (games + square) * np.sqrt(wins * (1 - rate) + square / 4)
    # Rounding could leave a rate of 0 or 1 outside of its interval.
    low, high = np.where(wins == 0, 0.0, center - half), np.where(wins == games, 1.0, center + half)
    return low[()], high[()]
