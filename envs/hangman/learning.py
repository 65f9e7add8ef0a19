"""A host who learns which words the guesser loses, by policy gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import EncodedWords
from hangman_lab.envs.games import Index
from hangman_lab.envs.hangman.rules import HangmanGames
from hangman_lab.envs.keyed_random import keyed_uniform
from hangman_lab.envs.words import SecretWords

_LEARNING_RATE = 0.02
_BASELINE_GAMES = 1000  # The baseline is the average over about this many games.


class LearningHangmanGames(HangmanGames):
    """N games of Hangman, whose host draws words from a softmax and is rewarded for lost games.

    The host updates its ``logits``, float64, shape (words,), when games that have ended are started
    again. Its policy is shared by all games. ``rules`` are further arguments of
    :class:`HangmanGames`.

    References
    ----------
    R. J. Williams, "Simple statistical gradient-following algorithms for connectionist
    reinforcement learning", Machine Learning 8 (1992): REINFORCE, here with the average reward as
    the baseline.
    """

    _state_names = (*HangmanGames._state_names, "logits", "_baseline")  # type: ignore[assignment]

    def __init__(self, num_games: int, secrets: SecretWords, *rules: Any) -> None:
        super().__init__(num_games, secrets.width, *rules)
        self._words, self.encode = secrets.words, secrets.encode
        self._texts = _sortable(self._words.lengths, self._words.codes)
        self.logits = np.zeros(len(self._words))
        self._baseline = np.full(1, 0.5)

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> EncodedWords:
        """Return a word for each pair of a stream and an episode number."""
        cumulative = self._probabilities()[:-1].cumsum()
        return self._words[np.searchsorted(cumulative, keyed_uniform(streams, episodes), "right")]

    def start(self, games: Index, secrets: EncodedWords) -> None:
        """Learn from the games that have ended, then start new ones."""
        ended = np.arange(len(self))[games]
        ended = ended[self.over[ended] & (self.secrets[ended, 0] > 0)]
        rows = np.searchsorted(self._texts, _sortable(self.lengths[ended], self.secrets[ended]))
        rewards = (~self.won[ended]).astype(np.float64)
        advantages = np.bincount(rows, rewards - self._baseline, minlength=len(self.logits))
        self.logits += _LEARNING_RATE * (advantages - self._probabilities() * advantages.sum())
        self._baseline += (rewards - self._baseline).sum() / max(_BASELINE_GAMES, len(ended))
        super().start(games, secrets)

    def _probabilities(self) -> npt.NDArray[np.float64]:
        weights = np.exp(self.logits - self.logits.max())
        return weights / weights.sum()


def _sortable(lengths: npt.NDArray, codes: npt.NDArray) -> npt.NDArray[np.bytes_]:
    """Return words as bytes, whose order is by length, then alphabetical."""
    rows = np.column_stack([lengths, codes]).astype(np.uint8)
    return rows.view(f"S{rows.shape[1]}").ravel()
