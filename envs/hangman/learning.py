"""A host who learns which words the guesser loses, by policy gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import EncodedWords
from hangman_lab.envs.games import Index
from hangman_lab.envs.hangman.rules import HangmanGames
from hangman_lab.envs.keyed_random import keyed_uniform
from hangman_lab.envs.words import HostSecrets

_LEARNING_RATE = 0.02
# The baseline is the average over about this many games.
_BASELINE_GAMES = 1000


class LearningSecrets(HostSecrets):
    """Words of a host who learns, drawn from a softmax of ``logits``, float64, shape (words,)."""

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.logits = np.zeros(len(self.words))

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return the probability of each word, shape (words,)."""
        weights = np.exp(self.logits - self.logits.max())
        return weights / weights.sum()

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> EncodedWords:
        """Return a word for each pair of a stream and an episode number."""
        cumulative = self.probabilities()[:-1].cumsum()
        return self.words[np.searchsorted(cumulative, keyed_uniform(streams, episodes), "right")]


class LearningHangmanGames(HangmanGames):
    """N games of Hangman, whose host is rewarded for the games that the guesser loses.

    The host updates its logits when games that have ended are started again. Its policy is shared
    by all games. ``rules`` are further arguments of :class:`HangmanGames`.

    References
    ----------
    R. J. Williams, "Simple statistical gradient-following algorithms for connectionist
    reinforcement learning", Machine Learning 8 (1992): REINFORCE, here with the average reward as
    the baseline.
    """

    _state_names = (*HangmanGames._state_names, "logits", "_baseline")

    def __init__(self, num_games: int, secrets: LearningSecrets, *rules: Any) -> None:
        super().__init__(num_games, secrets.width, *rules)
        self._host, self.logits = secrets, secrets.logits
        self._baseline = np.full(1, 0.5)
        words = _texts(secrets.words.codes)
        self._order = words.argsort()
        self._words = words[self._order]

    def start(self, games: Index, secrets: EncodedWords) -> None:
        """Learn from the games that have ended, then start new ones."""
        ended = np.arange(len(self))[games]
        ended = ended[self.over[ended] & (self.secrets[ended, 0] > 0)]
        rows = np.searchsorted(self._words, _texts(self.secrets[ended]))
        rewards = (~self.won[ended]).astype(np.float64)
        advantages = np.bincount(
            self._order[rows], rewards - self._baseline, minlength=len(self.logits)
        )
        gradient = advantages - self._host.probabilities() * advantages.sum()
        self.logits += _LEARNING_RATE * gradient
        self._baseline += (rewards - self._baseline).sum() / max(_BASELINE_GAMES, len(ended))
        super().start(games, secrets)


def _texts(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.bytes_]:
    """Return rows of codes as sortable bytes."""
    return np.ascontiguousarray(codes).view(f"S{codes.shape[1]}").ravel()
