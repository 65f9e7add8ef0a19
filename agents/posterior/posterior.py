"""The letter posterior: how likely each letter is behind a blank, by the prior over words."""

from __future__ import annotations

import lzma
import zlib
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from agents.base import PosteriorAgent
from agents.compiled import in_threads, letter_bits, open_word
from agents.posterior.look_ahead import win_probabilities
from agents.posterior.multigrams import Multigrams, multigram_masses, multigram_room
from agents.posterior.ngram_lattice import ngram_masses, presence_of
from agents.posterior.prior import (
    DEFAULT_KNOWN,
    LetterModels,
    ListedWords,
    WordPrior,
    listed_masses,
)
from agents.smoothed_ngrams import SmoothedNgrams
from agents.word_arrays import pack_words, unpack_words
from agents.word_sets import fitting_words, search_room
from envs.encoding import NUM_LETTERS, decode
from envs.errors import InputError
from envs.hangman.observation import Observation, distinct, select

_FORMAT = 3
# Contexts of the n-grams below this share of a place's mass are dropped. What is not listed is a
# small part of the mass, so that little may be pruned.
_BEAM = 1.5e-3
# At this many matching listed words of which each can be the secret, skip the letter models.
_ENOUGH = 100
# What is left of the mass of all words without the listed ones is at least this many beams of it:
# less cannot be told from what was pruned.
_LEAST_BEAMS_LEFT = 8
# At this many times the mass of all other words by the n-grams, the listed words that fit decide so
# much that the multigrams are skipped.
_ALL_BUT_SURE = 30.0
# The look-ahead values the likeliest letters.
_NUM_VALUED = 8
# A letter as likely as this is guessed at once; one as unlikely as that is not worth valuing.
_CERTAIN = 0.97
_UNLIKELY = 0.02
# States of games whose beliefs are kept, at half a kilobyte each: players of the same words, one
# after the other, come by most of them again.
_MOST_KEPT = 200_000

# Index of the sums over all words, after those over the words without each letter.
_ALL = NUM_LETTERS
# Begins the names of the multigrams' arrays in a file.
_MULTIGRAMS = "multigrams."


class Belief(NamedTuple):
    """What is believed about N games."""

    #: shape (N, 26): The probability that each letter is behind a blank; 0 for guessed
    #: letters.
    present: npt.NDArray[np.float64]
    #: shape (N,): The probability that the secret is a listed word: a known one or a candidate.
    listed_share: npt.NDArray[np.float64]


class LetterPosterior(PosteriorAgent):
    """Guesses the letter that is likeliest behind a blank, by a prior over words.

    The posterior of a word is its prior probability if it agrees with all that is shown, else 0;
    that of a letter is the share of the words that have it behind a blank. Listed words are summed
    one by one, all other strings by passes over the two models of letters.

    Parameters
    ----------
    prior : WordPrior
        Fitted by :func:`training.posterior.fit_posterior`.
    beam : float, default 1.5e-3
        Contexts of the n-grams below this share of a place's mass are dropped. With 0 the posterior
        is exact; otherwise the models of letters are left out where the listed words decide.

    Notes
    -----
    The beliefs of up to 200,000 states are kept, which takes up to 100 MB.
    """

    uses_lives = False

    def __init__(self, prior: WordPrior, beam: float = _BEAM) -> None:
        self.prior = prior
        self.beam = beam
        self._kept: dict[bytes, npt.NDArray[np.float64]] = {}

    def with_known(self, known: float) -> Self:
        """Return the posterior with another ``known``, 0 to 1, without fitting."""
        return type(self)(self.prior.with_known(known), self.beam)

    @property
    def known_words(self) -> tuple[str, ...]:
        """The words that the posterior was fitted on."""
        words, is_known = self.prior.listed[:2]
        return tuple(decode(codes) for codes in words.codes[is_known])

    def belief(self, observations: Observation) -> Belief:
        """Return what is believed about N games."""
        part, row_of_game = distinct(observations)
        looks = np.concatenate([part["guessed"].view(np.uint8), part["word"]], axis=1)
        # Without what pads the words of a batch to one width.
        keys = [look.tobytes().rstrip(b"\0") for look in looks]
        new = [game for game, key in enumerate(keys) if key not in self._kept]
        if len(self._kept) + len(new) > _MOST_KEPT:
            self._kept.clear()
            new = list(range(len(keys)))
        if new:
            states = select(part, new)
            # The letters, then the share of listed words.
            found = np.zeros((len(new), NUM_LETTERS + 1))
            tables = self.prior.tables
            in_threads(_believe, states["word"], states["guessed"], tables, self.beam, found)
            self._kept.update(zip((keys[game] for game in new), found, strict=True))
        rows = np.stack([self._kept[key] for key in keys])[row_of_game]
        return Belief(rows[:, :NUM_LETTERS], rows[:, NUM_LETTERS])

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter is behind a blank, shape (N, 26)."""
        return self.belief(observations).present

    def win_probabilities(
        self, observations: Observation, belief: Belief, max_lives: int
    ) -> npt.NDArray[np.float64]:
        """Look ahead in games with at most ``max_lives``: how often each likely letter wins.

        Returns
        -------
        ndarray of float64, shape (N, 26)
            The probability of winning with the letter and greedy guesses after it; NaN where it
            was not computed: too many lives, a letter that is all but certain, an unlikely letter.
        """
        present = belief.present
        result = np.full(present.shape, np.nan)
        highest = present.max(axis=1)
        few_lives = (observations["lives"] <= max_lives) & (observations["lives"] > 0)
        games = np.flatnonzero(few_lives & (highest < _CERTAIN) & (highest > _UNLIKELY))
        if not len(games):
            return result
        part, chances = select(observations, games), present[games]
        letters = np.argsort(-chances, axis=1, kind="stable")[:, :_NUM_VALUED]
        valued = np.take_along_axis(chances, letters, axis=1) >= _UNLIKELY
        values = np.full(letters.shape, np.nan)
        in_threads(
            win_probabilities,
            (part["word"], part["guessed"], part["lives"]),
            chances,
            belief.listed_share[games],
            np.where(valued, letters, -1),
            self.prior.tables.listed,
            values,
        )
        result[games[:, None], letters] = values
        return result

    def save(self, path: str | Path) -> None:
        """Write the posterior as safetensors; words and their figures are compressed."""
        listed, models = self.prior.listed, self.prior.models
        tensors = {
            "format": np.array(_FORMAT),
            "words": pack_words(listed.words),
            "is_known": _compress(np.packbits(listed.is_known)),
            "ratings": _compress(listed.ratings[~listed.is_known]),
            # High bytes and low bytes apart are easier to compress.
            "by_models": _compress(listed.by_models.view(np.uint8).reshape(-1, 2).T),
            "ngram_order": np.array(models.ngrams.order),
            "ngram_discount_scale": np.array(models.ngrams.discount_scale),
            "multigram_weight": np.array(models.weight),
            "length_masses": models.length_masses,
            "shares": self.prior.shares,
        }
        for name, array in models.multigrams.tensors.items():
            tensors[_MULTIGRAMS + name] = array
        # Not by save_file, whose files only their owner may read.
        Path(path).write_bytes(save(tensors))


class LookAheadAgent(PosteriorAgent):
    """Guesses the letter that wins most often by look-ahead; without one, the likeliest.

    Parameters
    ----------
    posterior : LetterPosterior
    max_lives : int
        The look-ahead is used in games with at most this many lives.
    """

    def __init__(self, posterior: LetterPosterior, max_lives: int) -> None:
        self.posterior = posterior
        self.max_lives = max_lives

    def act_batch(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Guess one letter in each game, the first in the alphabet among equals."""
        belief = self.posterior.belief(observations)
        wins = self.posterior.win_probabilities(observations, belief, self.max_lives)
        scores = np.where(np.isnan(wins).all(axis=1, keepdims=True), belief.present, wins)
        return np.where((observations["guessed"] != 0) | np.isnan(scores), -1, scores).argmax(
            axis=1
        )

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the posterior's probability of each letter behind a blank, shape (N, 26)."""
        return self.posterior.letter_probabilities(observations)


def load_posterior(path: str | Path, known: float = DEFAULT_KNOWN) -> LetterPosterior:
    """Read what a posterior saved; it runs no code from the file.

    ``known`` is the probability that the secret is one of the words that were fitted, 0 to 1.

    Raises
    ------
    InputError
        If the file is missing, damaged or not such a model.
    """
    try:
        tensors = load_file(path)
        if tensors.get("format") != _FORMAT:
            raise ValueError("it is of another version; train again")
        words = unpack_words(tensors["words"])
        count = len(words.lengths)
        is_known = np.unpackbits(_expand(tensors["is_known"]), count=count).astype(bool)
        ratings = np.zeros(count, dtype=np.uint8)
        ratings[~is_known] = _expand(tensors["ratings"])
        by_models = _expand(tensors["by_models"]).reshape(2, count).T.copy().view(np.uint16)
        # The n-grams are counted again, which is as quick as reading their counts would be.
        order, scale = int(tensors["ngram_order"]), float(tensors["ngram_discount_scale"])
        ngrams = SmoothedNgrams(words.take(is_known), order, scale)
        multigrams = Multigrams(
            {
                name.removeprefix(_MULTIGRAMS): array
                for name, array in tensors.items()
                if name.startswith(_MULTIGRAMS)
            }
        )
        weight = float(tensors["multigram_weight"])
        models = LetterModels(ngrams, multigrams, weight, tensors["length_masses"])
        listed = ListedWords(words, is_known, ratings, by_models.ravel())
        return LetterPosterior(WordPrior(listed, models, tensors["shares"], known))
    except (
        OSError,
        SafetensorError,
        LookupError,
        TypeError,
        ValueError,
        zlib.error,
        lzma.LZMAError,
    ) as error:
        detail = " ".join(str(error).split())
        raise InputError(f"{path}: not a readable posterior ({detail})") from error


@njit(cache=True, nogil=True)
def _believe(thread, num_threads, word, guessed, prior, beam, result):
    """Write the beliefs about N games, shape (N, 27)."""
    slot = np.full(len(prior.ngrams.next_state), -1, dtype=np.int32)
    room, search = multigram_room(prior.multigrams), search_room(prior.listed.words)
    own, replaced, sums = np.empty(_ALL + 1), np.empty(_ALL + 1), np.empty(_ALL + 1)
    by_multigrams = np.empty(_ALL + 1)
    for game in range(thread, len(word), num_threads):
        masked = open_word(word[game], guessed[game])
        if len(masked) == 0:
            continue
        fitting = fitting_words(masked, guessed[game], prior.listed.words, True, True, search)
        bits = letter_bits(guessed[game])
        possible = listed_masses(prior.listed, fitting, bits, own, replaced)
        if beam > 0.0 and possible >= _ENOUGH:
            sums[:] = own
        else:
            scale = prior.scale[len(masked)]
            ngram_masses(masked, guessed[game], prior.ngrams, beam, slot, sums)
            sums *= scale
            if beam == 0.0 or own[_ALL] < _ALL_BUT_SURE * (sums[_ALL] - replaced[_ALL]):
                multigram_masses(masked, guessed[game], prior.multigrams, room, by_multigrams)
                sums *= 1.0 - prior.weight
                sums += by_multigrams * (prior.weight * scale)
            # All words by the models, then only those that are not listed.
            least = max(_LEAST_BEAMS_LEFT * beam, 1e-9)
            if sums[_ALL] - replaced[_ALL] < least * sums[_ALL]:
                sums[:] = np.maximum(sums - replaced, 0.0) + least * sums
            else:
                sums -= replaced
            sums += own
        presence_of(sums, guessed[game], result[game])
        if sums[_ALL] > 0.0:
            result[game, _ALL] = own[_ALL] / sums[_ALL]


def _compress(array: npt.NDArray) -> npt.NDArray[np.uint8]:
    return np.frombuffer(
        zlib.compress(np.ascontiguousarray(array).tobytes(), level=9), dtype=np.uint8
    )


def _expand(compressed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.decompress(compressed.tobytes()), dtype=np.uint8)
