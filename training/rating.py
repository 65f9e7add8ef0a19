"""Rating candidates: how likely each is to be a word, learned on words that are held back."""

from __future__ import annotations

import lightgbm
import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from envs.keyed_random import keyed_uniform

# Most candidates are no words; of these, such a share is enough to learn from.
_SHARE_OF_OTHERS = 0.4
_ROUNDS = 100
# Fewer words found than this say nothing.
_MIN_FOUND = 20
_PARAMETERS = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.12,
    "min_data_in_leaf": 400,
    "lambda_l2": 5.0,
    "min_sum_hessian_in_leaf": 1.0,
    "deterministic": True,
    "force_row_wise": True,
    # Several threads wait for each other at every leaf; where they share the cores with other work,
    # that takes many times as long.
    "num_threads": 1,
    "verbosity": -1,
}


def fit_rating(
    features: npt.NDArray[np.float32], found: npt.NDArray[np.bool_], seed: int = 0
) -> lightgbm.Booster | None:
    """Learn the chance that a candidate is a word that was held back; None of too few of these.

    Parameters
    ----------
    features : ndarray of float32, shape (candidates, features)
    found : ndarray of bool, shape (candidates,)
        Whether each candidate is such a word.
    seed : int
        Of the candidates that are left out.

    References
    ----------
    Guolin Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NIPS 2017.
    """
    if found.sum() < _MIN_FOUND:
        return None
    chosen = found | (keyed_uniform(seed, np.arange(len(found))) < _SHARE_OF_OTHERS)
    labels = found[chosen]
    data = lightgbm.Dataset(
        features[chosen],
        label=labels.astype(np.float32),
        weight=np.where(labels, 1.0, 1 / _SHARE_OF_OTHERS),
        params={"verbosity": -1, "num_threads": 1},
    )
    return lightgbm.train(_PARAMETERS | {"seed": seed}, data, _ROUNDS)


def rate(
    booster: lightgbm.Booster | None, features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the chance of each candidate, shape (candidates,); 0 without a booster."""
    if booster is None or not len(features):
        return np.zeros(len(features))
    return booster.predict(features, num_threads=get_num_threads())
