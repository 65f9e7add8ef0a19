"""How likely each derived word is to be a word, learned on words that are held back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.smoothed_ngrams import SmoothedNgrams
from envs.keyed_random import keyed_bits
from envs.words import hash_words
from training.config import WarmStartConfig
from training.derivations import derive_words, word_keys

_HOLD_BACK_KEY = 0x64657269
_HELD_BACK_ONE_IN = 10
_HIDDEN = 32
_STEPS = 2000
_BATCH = 8192
_LEARNING_RATE = 1e-2
# Predicted together, so that memory stays small.
_CHUNK = 1 << 18
# Words less likely than this to be among those held back are left to the n-grams.
_MIN_CHANCE = 1e-3
# The n-grams keep at least the rest for all other words.
_MAX_TOTAL = 0.9


class DerivedWords:
    """Rates derived words by a small network over what speaks for each.

    A tenth of the words is held back; from the rest, words are derived, and the network learns
    which of them are among those held back. Of a list from which no word can be derived nothing is
    learned, and no word is rated.

    Parameters
    ----------
    words : sequence of str
        The train split.
    options : WarmStartConfig
        Of the n-grams.
    seed : int
    """

    def __init__(self, words: Sequence[str], options: WarmStartConfig, seed: int) -> None:
        held = keyed_bits(_HOLD_BACK_KEY, hash_words(words)) % np.uint64(_HELD_BACK_ONE_IN) == 0
        listed = np.array(words)
        known = listed[~held].tolist()
        self._num_held_back = int(held.sum())
        self._network: nn.Module | None = None
        if not known or not self._num_held_back:
            return
        derived = derive_words(
            known, SmoothedNgrams(known, options.ngram_order, options.ngram_discount_scale)
        )
        if not len(derived.keys):
            return
        found = np.isin(derived.keys, word_keys(listed[held].tolist()))
        self._mean = derived.features.mean(axis=0)
        self._deviation = derived.features.std(axis=0) + 1e-6
        self._network = _fit(self._scaled(derived.features), found, seed)

    def rate(
        self, words: Sequence[str], model: SmoothedNgrams
    ) -> tuple[list[str], npt.NDArray[np.float64]]:
        """Return words that are derived from known ones, and the probability of each.

        Parameters
        ----------
        words : sequence of str
            The known ones.
        model : SmoothedNgrams
            Of the same words.

        Returns
        -------
        words : list of str
        probabilities : ndarray of float64, shape (words,)
            That a word which is not known is this one; at most 0.9 together.
        """
        if self._network is None:
            return [], np.zeros(0)
        derived = derive_words(words, model)
        chances = self._chances(derived.features)
        chosen = chances >= _MIN_CHANCE
        probabilities = chances[chosen].astype(np.float64) / self._num_held_back
        probabilities *= _MAX_TOTAL / max(probabilities.sum(), _MAX_TOTAL)
        return derived.words(chosen), probabilities

    def _chances(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        chances = np.empty(len(features), dtype=np.float32)
        with torch.inference_mode():
            for begin in range(0, len(chances), _CHUNK):
                part = torch.from_numpy(self._scaled(features[begin : begin + _CHUNK]))
                chances[begin : begin + _CHUNK] = torch.sigmoid(self._network(part)[:, 0]).numpy()
        return chances

    def _scaled(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return (features - self._mean) / self._deviation


def _fit(features: npt.NDArray[np.float32], found: npt.NDArray[np.bool_], seed: int) -> nn.Module:
    """Return a network for the log-odds of ``found``, fitted by cross-entropy."""
    random = np.random.default_rng(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = nn.Sequential(
            nn.Linear(features.shape[1], _HIDDEN),
            nn.Tanh(),
            nn.Linear(_HIDDEN, _HIDDEN),
            nn.Tanh(),
            nn.Linear(_HIDDEN, 1),
        )
    share = np.clip(found.mean(), 1e-6, 0.5)
    nn.init.constant_(network[-1].bias, float(np.log(share / (1 - share))))
    optimizer = torch.optim.Adam(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, _STEPS)
    labels = found.astype(np.float32)
    for _ in range(_STEPS):
        batch = random.integers(len(features), size=_BATCH)
        log_odds = network(torch.from_numpy(features[batch]))[:, 0]
        loss = nn.functional.binary_cross_entropy_with_logits(
            log_odds, torch.from_numpy(labels[batch])
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return network
