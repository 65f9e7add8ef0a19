"""The letter posterior: the probability of each letter behind a blank, given a prior over words."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.agents.posterior.look_ahead import win_probabilities
from hangman_lab.agents.posterior.multigrams import multigram_masses
from hangman_lab.agents.posterior.ngram_lattice import ngram_masses, presence_from_absent_sums
from hangman_lab.agents.posterior.prior import WordPrior, listed_masses
from hangman_lab.envs.encoding import NUM_LETTERS, PADDING, decode_words
from hangman_lab.envs.hangman.observation import Observations, select
from hangman_lab.envs.numba_cache import in_threads

# N-gram contexts with a smaller share of a place's mass are pruned. Unlisted words are a small part
# of the mass, so the beam must be narrow.
_BEAM = 1.5e-3
# At this many matching listed words, skip the letter models.
_SKIP_MODELS_AT = 100
# Floor on the unlisted mass, in beam widths; smaller values are pruning error.
_MIN_BEAMS = 8
# If the listed words have this many times the n-gram mass of the unlisted ones, skip the
# multigrams.
_SKIP_MULTIGRAMS_RATIO = 30.0
# The look-ahead evaluates this many of the likeliest letters.
_NUM_VALUED = 8
# Above this probability a letter is guessed without look-ahead; below the second, not evaluated.
_CERTAIN = 0.97
_UNLIKELY = 0.02
# The size of the belief cache, half a kilobyte per state: agents that play the same words reach
# mostly the same states.
_CACHE_SIZE = 200_000

# The index of the sum over all words, after the sums over the words without each letter.
_ALL = NUM_LETTERS


class Belief(NamedTuple):
    """Posterior probabilities of N games."""

    #: shape (N, 26): The probability of each letter behind a blank; 0 for guessed letters.
    present: npt.NDArray[np.float64]
    #: shape (N,): The probability that the secret is a listed word, known or candidate.
    prob_listed: npt.NDArray[np.float64]


class LetterPosterior(PosteriorAgent):
    """Guesses the most likely letter under a prior over words.

    The posterior probability of a word is proportional to its prior probability if it matches the
    observation, else 0. Matching listed words are enumerated; all other strings are summed by the
    two letter models.

    Parameters
    ----------
    prior : WordPrior
        Fitted by :func:`training.posterior.fit_posterior`.
    beam : float, default 1.5e-3
        N-gram contexts with a smaller share of a place's mass are pruned. With 0 the posterior is
        exact; otherwise the letter models are skipped where the listed words decide.

    Notes
    -----
    Beliefs about up to 200,000 states are cached, which takes up to 100 MB.
    """

    uses_lives = False

    def __init__(self, prior: WordPrior, beam: float = _BEAM) -> None:
        self.prior = prior
        self.beam = beam
        self._cache: dict[bytes, npt.NDArray[np.float64]] = {}

    def with_prior(self, known: float, common: float = 0.0) -> Self:
        """Return the posterior with another prior; see :meth:`WordPrior.with_prior`."""
        return type(self)(self.prior.with_prior(known, common), self.beam)

    @property
    def known_words(self) -> tuple[str, ...]:
        """The words that the posterior was fitted on, and with ``common`` those people choose."""
        return decode_words(self.prior.words[self.prior.is_known])

    def belief(self, observations: Observations) -> Belief:
        """Return the posterior probabilities of N games."""
        states = [observations["guessed"].view(np.uint8), observations["word"]]
        # The padding depends on the batch.
        keys = [state.tobytes().rstrip(b"\0") for state in np.concatenate(states, axis=1)]
        # Not emptied but replaced: other threads can still read it.
        cache = self._cache
        new = {key: row for row, key in enumerate(keys) if key not in cache}
        if len(cache) + len(new) > _CACHE_SIZE:
            cache = self._cache = {}
            new = {key: row for row, key in enumerate(keys)}
        if new:
            part = select(observations, list(new.values()))
            beliefs = _believe(part["word"], part["guessed"], self.prior, self.beam)
            cache.update(zip(new, beliefs, strict=True))
        rows = np.array([cache[key] for key in keys]).reshape(-1, NUM_LETTERS + 1)
        return Belief(rows[:, :NUM_LETTERS], rows[:, NUM_LETTERS])

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        return self.belief(observations).present

    def win_probabilities(
        self, observations: Observations, belief: Belief, max_lives: int
    ) -> npt.NDArray[np.float64]:
        """Return the probability of winning with each letter and then greedy play, shape (N, 26).

        NaN where it was not computed: for unlikely letters, and in games with more than
        ``max_lives`` lives or an almost certain letter.
        """
        result = np.full(belief.present.shape, np.nan)
        highest = belief.present.max(axis=1)
        few_lives = (observations["lives"] <= max_lives) & (observations["lives"] > 0)
        games = np.flatnonzero(few_lives & (highest < _CERTAIN) & (highest > _UNLIKELY))
        if not len(games):
            return result
        part, present = select(observations, games), belief.present[games]
        letters = np.argsort(-present, axis=1, kind="stable")[:, :_NUM_VALUED]
        valued = np.take_along_axis(present, letters, axis=1) >= _UNLIKELY
        values = np.full(letters.shape, np.nan)
        in_threads(
            win_probabilities,
            (part["word"], part["guessed"], part["lives"]),
            present,
            belief.prob_listed[games],
            np.where(valued, letters, -1),
            self.prior.listed,
            values,
        )
        result[games[:, None], letters] = values
        return result


class LookAheadAgent(PosteriorAgent):
    """Guesses the letter with the highest probability of winning by look-ahead.

    In games with more than ``max_lives`` lives, or without a letter evaluated by look-ahead, it
    guesses the most likely letter.
    """

    def __init__(self, posterior: LetterPosterior, max_lives: int) -> None:
        self.posterior = posterior
        self.max_lives = max_lives

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the probabilities of winning, or those of the letters, shape (N, 26)."""
        belief = self.posterior.belief(observations)
        wins = self.posterior.win_probabilities(observations, belief, self.max_lives)
        scores = np.where(np.isnan(wins).all(axis=1, keepdims=True), belief.present, wins)
        return np.nan_to_num(scores, nan=-1.0)

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        return self.posterior._letter_probabilities(observations)


def _believe(
    word: npt.NDArray[np.uint8], guessed: npt.NDArray[np.int8], prior: WordPrior, beam: float
) -> npt.NDArray[np.float64]:
    """Return the fields of a :class:`Belief` about N games, side by side, shape (N, 27)."""
    # The masses of the listed words, by the prior and by the letter models, shape (N, 27).
    listed, by_models = np.zeros((2, len(word), NUM_LETTERS + 1))
    num_possible = np.zeros(len(word), dtype=np.int64)
    scale = prior.scale[(word != PADDING).sum(axis=1)]
    in_threads(listed_masses, word, guessed, prior.listed, scale, listed, by_models, num_possible)
    sums = listed.copy()
    few = np.flatnonzero((num_possible < _SKIP_MODELS_AT) | (beam == 0.0))
    if len(few):
        models = prior.models
        masses = np.zeros((len(few), NUM_LETTERS + 1))
        in_threads(ngram_masses, word[few], guessed[few], models.ngrams.tables, beam, masses)
        masses *= scale[few, None]
        unlisted = masses[:, _ALL] - by_models[few, _ALL]
        undecided = listed[few, _ALL] < _SKIP_MULTIGRAMS_RATIO * unlisted
        rows = np.flatnonzero(undecided | (beam == 0.0))
        games, by_multigrams = few[rows], np.zeros((len(rows), NUM_LETTERS + 1))
        tables = models.multigrams.tables
        in_threads(multigram_masses, word[games], guessed[games], tables, by_multigrams)
        masses[rows] *= 1.0 - models.weight
        masses[rows] += by_multigrams * (models.weight * scale[games, None])
        least = max(_MIN_BEAMS * beam, 1e-9) * masses
        rest = masses - by_models[few]
        is_pruned = rest[:, [_ALL]] < least[:, [_ALL]]
        sums[few] += np.where(is_pruned, np.maximum(rest, 0.0) + least, rest)
    total, share = sums[:, _ALL], np.zeros(len(word))
    np.divide(listed[:, _ALL], total, out=share, where=total > 0.0)
    return np.column_stack([presence_from_absent_sums(sums, guessed), share])
