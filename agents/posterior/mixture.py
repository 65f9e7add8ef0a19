"""The posterior that the policy sees: learned windows and counted n-grams, mixed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import get_num_threads
from safetensors import SafetensorError
from safetensors.numpy import load_file, save
from scipy.special import expit, logit

from agents.base import PosteriorAgent, ScoringAgent
from agents.posterior.lattice import pair_table, presence
from agents.posterior.listed_words import ListedWords, list_words
from agents.posterior.look_ahead import win_probabilities
from agents.posterior.windows import LetterPosterior, WindowPosterior
from agents.smoothed_ngrams import SmoothedNgrams
from envs.encoding import MAX_LENGTH, NUM_LETTERS
from envs.errors import InputError
from envs.hangman.observation import Observation, distinct, select

_WORD = re.compile(rf"[a-z]{{1,{MAX_LENGTH}}}")
# Probabilities are kept this far from 0 and 1 before their log-odds are taken.
_MARGIN = 1e-6
# What listed words leave is a small part of the mass, so that less may be pruned.
_BEAM = 1e-3
_BEAM_LISTED = 1e-4
# The look-ahead plays the likeliest words, after each of the likeliest letters. On valid words, 100
# words were worse than 300, and 1,000 no better; nor were 5 letters worse than 8.
_NUM_WORDS = 300
_NUM_VALUED = 8
# A letter as likely as this is guessed at once; one as unlikely as that is not worth valuing.
_CERTAIN = 0.97
_UNLIKELY = 0.02
# Where the two models disagree by more, neither is taken at its word.
_MAX_TILT = 5.0


class MixturePosterior(ScoringAgent, PosteriorAgent):
    """Mixes the log-odds of learned windows and of counted n-grams, and guesses greedily.

    The two err differently: windows are learned on states of games and see absent letters; n-grams
    sum over all fillings of the blanks together.

    Parameters
    ----------
    windows : WindowPosterior
    ngrams : SmoothedNgrams, optional
        Without them the windows' posterior is the whole.
    ngram_weight : float, default 0.85
        Of the n-grams' log-odds; the rest is the windows'. 0 to 1.
    listed : sequence of str, default none
        Words whose probability the n-grams do not know best; they give the rest to all others. It
        leaves the windows as they are.
    listed_probabilities : array_like, shape (listed words,), optional
        That each listed word is the secret, below 1 together; 0 by default, which excludes them.
        For games on unseen words the words that the models were fitted on are excluded; they seem
        the likeliest otherwise.

    References
    ----------
    A weighted sum of log-odds is logarithmic opinion pooling: Christian Genest and James V. Zidek,
    "Combining probability distributions", Statistical Science 1 (1986).
    """

    uses_lives = False

    def __init__(
        self,
        windows: WindowPosterior,
        ngrams: SmoothedNgrams | None = None,
        ngram_weight: float = 0.85,
        listed: Sequence[str] = (),
        listed_probabilities: npt.ArrayLike | None = None,
    ) -> None:
        super().__init__(greedy=True)
        if not 0 <= ngram_weight <= 1:
            raise ValueError(f"ngram_weight: {ngram_weight} is not in 0..1")
        self.windows = windows
        self.ngrams = ngrams
        self.ngram_weight = ngram_weight
        if listed_probabilities is None:
            listed_probabilities = np.zeros(len(listed))
        self.listed = tuple(listed)
        self.listed_probabilities = np.asarray(listed_probabilities, dtype=np.float32)
        if self.listed_probabilities.shape != (len(listed),):
            raise ValueError("listed_probabilities: there is not one for each listed word")
        total = self.listed_probabilities.sum(dtype=np.float64)
        if not (self.listed_probabilities >= 0).all() or not total < 1:
            raise ValueError("listed_probabilities: they are not at least 0 and below 1 together")
        if ngrams is not None:
            self._pairs = pair_table(ngrams.of_order(3))
            self._listed = list_words(self.listed, self.listed_probabilities, ngrams)

    def posterior(self, observations: Observation) -> LetterPosterior:
        """Return the posterior of N games; where letters stand is the windows' alone."""
        windows = self.windows.posterior(observations)
        if self.ngrams is None:
            return windows
        by_ngrams = self.ngram_probabilities(observations)
        mixed = expit(
            self.ngram_weight * _log_odds(by_ngrams)
            + (1 - self.ngram_weight) * _log_odds(windows.present)
        )
        mixed[observations["guessed"] != 0] = 0
        return windows._replace(present=mixed.astype(np.float32), by_ngrams=by_ngrams)

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
        return self.posterior(observations).present.astype(np.float64)

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the letter probabilities, shape (N, 26)."""
        return self.letter_probabilities(observations)

    def ngram_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the n-grams' letter probabilities alone, shape (N, 26)."""
        part, number = distinct(observations)
        beam = _BEAM_LISTED if self.listed else _BEAM
        probabilities = presence(
            part["word"], part["guessed"], *self._model(), beam, get_num_threads()
        )
        return probabilities[number]

    def win_probabilities(
        self, observations: Observation, posterior: LetterPosterior, max_lives: int
    ) -> npt.NDArray[np.float64]:
        """Look ahead in games with few lives: how often each likely letter wins.

        Parameters
        ----------
        observations : Observation
            Of N games.
        posterior : LetterPosterior
            Theirs, of :meth:`posterior`.
        max_lives : int
            Games with more lives are not looked at.

        Returns
        -------
        ndarray of float64, shape (N, 26)
            The probability of winning with the letter and greedy guesses after it, by the n-gram
            model's likeliest words, weighted so as to bring in the mixture; NaN where it was not
            computed: too many lives, a letter that is all but certain, an unlikely letter.
        """
        present = posterior.present
        result = np.full(present.shape, np.nan)
        if self.ngrams is None or not max_lives:
            return result
        highest = present.max(axis=1)
        games = np.flatnonzero(
            (observations["lives"] <= max_lives)
            & (observations["lives"] > 0)
            & (highest < _CERTAIN)
            & (highest > _UNLIKELY)
        )
        if not len(games):
            return result
        part, chances = select(observations, games), present[games]
        letters = np.argsort(-chances, axis=1, kind="stable")[:, :_NUM_VALUED]
        valued = np.take_along_axis(chances, letters, axis=1) >= _UNLIKELY
        tilt = _log_odds(chances) - _log_odds(posterior.by_ngrams[games])
        values = win_probabilities(
            part["word"],
            part["guessed"],
            part["lives"],
            np.where(valued, letters, -1),
            tilt.clip(-_MAX_TILT, _MAX_TILT),
            *self._model(),
            _NUM_WORDS,
        )
        found = np.full((len(games), NUM_LETTERS), np.nan)
        np.put_along_axis(found, letters, np.where(valued, values, np.nan), axis=1)
        result[games] = found
        return result

    def _model(self) -> tuple[npt.NDArray, npt.NDArray, int, npt.NDArray, ListedWords]:
        ngrams = self.ngrams
        return ngrams.probabilities, ngrams.next_state, ngrams.start, self._pairs, self._listed

    def save(self, path: str | Path) -> None:
        """Write the model as safetensors."""
        tensors = {f"windows.{name}": array for name, array in self.windows.to_tensors().items()}
        if self.ngrams is not None:
            counted = self.ngrams.to_tensors()
            tensors |= {f"ngrams.{name}": array for name, array in counted.items()}
            tensors["ngram_weight"] = np.array(self.ngram_weight)
            if self.listed:
                text = zlib.compress("\n".join(self.listed).encode("ascii"), level=9)
                tensors["listed"] = np.frombuffer(text, dtype=np.uint8)
                tensors["listed_probabilities"] = self.listed_probabilities
        # Not by save_file, whose files only their owner may read.
        Path(path).write_bytes(save(tensors))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what :meth:`save` wrote; it runs no code from the file.

        Raises
        ------
        InputError
            If the file is missing, damaged or not such a model.
        """
        try:
            tensors = load_file(path)
            windows = WindowPosterior.from_tensors(_part(tensors, "windows."))
            if "ngram_weight" not in tensors:
                return cls(windows)
            ngrams = SmoothedNgrams.from_tensors(_part(tensors, "ngrams."))
            weight = float(tensors["ngram_weight"])
            if "listed" not in tensors:
                return cls(windows, ngrams, weight)
            words = _words(tensors["listed"])
            return cls(windows, ngrams, weight, words, tensors["listed_probabilities"])
        except (
            OSError,
            SafetensorError,
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            zlib.error,
        ) as error:
            detail = " ".join(str(error).split())
            raise InputError(f"{path}: not a readable posterior ({detail})") from error


def _log_odds(probabilities: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return logit(np.clip(probabilities.astype(np.float64), _MARGIN, 1 - _MARGIN))


def _part(tensors: dict[str, npt.NDArray], prefix: str) -> dict[str, npt.NDArray]:
    return {
        name[len(prefix) :]: array for name, array in tensors.items() if name.startswith(prefix)
    }


def _words(compressed: npt.NDArray[np.uint8]) -> tuple[str, ...]:
    if compressed.dtype != np.uint8:
        raise ValueError("listed: they are not bytes")
    words = tuple(zlib.decompress(compressed.tobytes()).decode("ascii").split("\n"))
    if not all(map(_WORD.fullmatch, words)) or len(set(words)) < len(words):
        raise ValueError(f"listed: they are not distinct words of 1 to {MAX_LENGTH} letters a to z")
    return words
