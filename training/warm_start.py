"""The warm start: learning the letter posterior on the states of its own games, and by counting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from agents.posterior.mixture import MixturePosterior
from agents.posterior.windows import WindowPosterior
from agents.smoothed_ngrams import SmoothedNgrams
from envs.encoding import NUM_LETTERS
from envs.hangman.rules import HangmanGames
from envs.hangman.secrets import SecretWords
from envs.keyed_random import keyed_bits, keyed_uniform
from training.config import Config
from training.derived_words import DerivedWords
from training.posterior_learner import PosteriorLearner


class WarmStart:
    """Plays games on training words and learns the posterior from every state once.

    Each turn of a batch of games is one update. Letters are then guessed greedily, or with
    probability ``exploration`` uniformly among those not guessed. The learning rate falls
    linearly to zero.

    Parameters
    ----------
    config : Config
    words : sequence of str
        The train split, or a part of it.
    states : int
        The budget.
    """

    def __init__(self, config: Config, words: Sequence[str], states: int) -> None:
        options = config.warm_start
        self.budget = states
        env = config.env
        self.config = config
        self.model = WindowPosterior(options.reach, options.rows_log2)
        self._learner = PosteriorLearner(
            self.model,
            options.num_games,
            options.window_dropout,
            options.max_dropout,
            options.presence_weight,
            config.seed,
        )
        self._secrets = SecretWords(words, env.min_length, env.max_length, env.sampling)
        self._games = HangmanGames(options.num_games, self._secrets.width, env.max_wrong)
        self._streams = keyed_bits(config.seed, np.arange(options.num_games))
        self._episodes = np.zeros(options.num_games, dtype=np.int64)
        self._updates = 0
        self.last_loss = 0.0
        self._start(np.arange(options.num_games))

    @property
    def states(self) -> int:
        """States that were learned from so far."""
        return self._updates * self.config.warm_start.num_games

    @property
    def done(self) -> bool:
        """Whether the budget of states is used up."""
        return self.states >= self.budget

    def update(self) -> tuple[int, int]:
        """Learn from the present state of every game, then guess; return games ended and won."""
        options = self.config.warm_start
        observations = self._games.observe()
        present, self.last_loss = self._learner.update(
            observations,
            self._games.secrets,
            options.learning_rate * (1 - self.states / self.budget),
            self._updates,
        )
        self._games.guess(self._choose(present, observations["guessed"] != 0))
        ended = np.flatnonzero(self._games.over)
        num_won = int(self._games.won[ended].sum())
        self._start(ended)
        self._updates += 1
        return len(ended), num_won

    def get_state(self) -> dict[str, npt.NDArray]:
        """Return the arrays that the rest of the warm start depends on, by name."""
        state = {f"games.{name}": array for name, array in self._games.get_state().items()}
        return state | {
            "table": self.model.table,
            "episodes": self._episodes.copy(),
            "updates": np.array(self._updates),
        }

    def set_state(self, state: dict[str, npt.NDArray]) -> None:
        """Go on from what :meth:`get_state` of a warm start with the same options returned.

        Raises
        ------
        ValueError, KeyError
            If an array is missing or has another shape.
        """
        prefix = "games."
        self._games.set_state(
            {name[len(prefix) :]: array for name, array in state.items() if name.startswith(prefix)}
        )
        self.model.table[...] = state["table"]
        self._episodes[...] = state["episodes"]
        self._updates = int(state["updates"])

    def _choose(
        self, present: npt.NDArray[np.float32], guessed: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        greedy = np.where(guessed, -1, present).argmax(axis=1)
        seed = self.config.seed
        draws = keyed_uniform(seed, 1, self._updates, self._streams)
        explorers = np.flatnonzero(draws < self.config.warm_start.exploration)
        order = keyed_uniform(
            seed, 2, self._updates, self._streams[explorers, None], np.arange(NUM_LETTERS)
        )
        letters = greedy
        letters[explorers] = np.where(guessed[explorers], -1, order).argmax(axis=1)
        return letters

    def _start(self, games: npt.NDArray[np.int64]) -> None:
        self._games.start(games, self._secrets.draw(self._streams[games], self._episodes[games]))
        self._episodes[games] += 1


def mix_with_ngrams(
    config: Config,
    windows: WindowPosterior,
    words: Sequence[str],
    derived_words: DerivedWords | None = None,
) -> MixturePosterior:
    """Return the posterior that mixes learned windows with counts of the same words.

    Parameters
    ----------
    config : Config
    windows : WindowPosterior
    words : sequence of str
        Those that the windows were learned on.
    derived_words : DerivedWords, optional
        Which rates words that are derived from these.
    """
    options = config.warm_start
    if not options.ngram_order:
        return MixturePosterior(windows)
    ngrams = SmoothedNgrams(words, options.ngram_order, options.ngram_discount_scale)
    listed = dict.fromkeys(words, 0.0) if options.exclude_fitted_words else {}
    if derived_words is not None:
        listed |= zip(*derived_words.rate(words, ngrams), strict=True)
    # In alphabetical order the list is half as large in the file.
    listed = dict(sorted(listed.items()))
    return MixturePosterior(
        windows, ngrams, options.ngram_weight, tuple(listed), tuple(listed.values())
    )
