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
from agents.posterior.listed_words import listed_masses
from agents.posterior.look_ahead import win_probabilities
from agents.posterior.multigrams import Multigrams, multigram_masses, multigram_room
from agents.posterior.ngram_lattice import lattice_of, ngram_masses, presence_of
from agents.posterior.packed_words import pack_words, unpack_words
from agents.posterior.prior import DEFAULT_KNOWN, LetterModels, ListedWords, WordPrior
from agents.smoothed_ngrams import SmoothedNgrams
from agents.threads import in_threads
from agents.word_sets import fitting_words, letter_bits, search_room, word_length
from envs.encoding import BLANK, NUM_LETTERS
from envs.errors import InputError
from envs.hangman.observation import Observation, distinct, select

FORMAT = 3
# Contexts of the n-grams below this share of a place's mass are dropped. What is not listed is a
# small part of the mass, so that little may be pruned.
BEAM = 1.5e-3
# So many listed words speak for all others.
ENOUGH = 100
# Where the listed words have all but so many beams of the mass, what is left cannot be told from
# what was pruned: as much of the mass of all words stays.
_LEAST_BEAMS_LEFT = 8
# Where the listed words that fit are so many times as likely as all others by the n-grams alone,
# these stand for both models of letters.
_ALL_BUT_SURE = 30.0
# The look-ahead values the likeliest letters.
_NUM_VALUED = 8
# A letter as likely as this is guessed at once; one as unlikely as that is not worth valuing.
_CERTAIN = 0.97
_UNLIKELY = 0.02
# States of games whose beliefs are kept, at half a kilobyte each: players of the same words, one
# after the other, come by most of them again.
_MOST_KEPT = 200_000

_ALL = NUM_LETTERS


class Belief(NamedTuple):
    """What is believed about N games."""

    #: shape (N, 26): The probability that each letter stands behind a blank; 0 for guessed
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
    beam : float
        Contexts of the n-grams below this share of a place's mass are dropped; 0 is exact.
    enough : int
        Where so many listed words fit, these speak for all others.

    Notes
    -----
    The beliefs of up to 200,000 states are kept, which takes up to 100 MB.
    """

    uses_lives = False

    def __init__(self, prior: WordPrior, beam: float = BEAM, enough: int = ENOUGH) -> None:
        self.prior = prior
        self.beam = beam
        self.enough = enough
        self._kept: dict[bytes, npt.NDArray[np.float64]] = {}

    def with_known(self, known: float) -> Self:
        """Return the posterior with another ``known``, 0 to 1; nothing is fitted anew."""
        return type(self)(self.prior.with_known(known), self.beam, self.enough)

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
            found = self._believe(select(part, new))
            self._kept.update(zip((keys[game] for game in new), found, strict=True))
        rows = np.stack([self._kept[key] for key in keys])[row_of_game]
        return Belief(rows[:, :NUM_LETTERS], rows[:, NUM_LETTERS])

    def _believe(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return what is believed about N games: the letters, then listed words, (N, 27)."""
        word, guessed = observations["word"], observations["guessed"]
        result = np.zeros((len(word), NUM_LETTERS + 1))
        in_threads(_believe, word, guessed, self.prior.tables, self.beam, self.enough, result)
        return result

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
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
            "format": np.array(FORMAT),
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
        multigrams = models.multigrams.to_tensors()
        tensors |= {f"multigrams.{name}": array for name, array in multigrams.items()}
        # Not by save_file, whose files only their owner may read.
        Path(path).write_bytes(save(tensors))


class UniformPosterior(PosteriorAgent):
    """Takes all letters that have not been guessed as equally likely behind each blank.

    What a policy sees that learns from rewards alone.
    """

    def belief(self, observations: Observation) -> Belief:
        """Return what is believed about N games."""
        guessed = observations["guessed"] != 0
        blanks = (observations["word"] == BLANK).sum(axis=1)
        left = np.maximum(NUM_LETTERS - guessed.sum(axis=1), 1)
        present = np.where(guessed, 0.0, (1 - (1 - 1 / left) ** blanks)[:, None])
        return Belief(present, np.zeros(len(present)))

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
        return self.belief(observations).present

    def win_probabilities(
        self, observations: Observation, belief: Belief, max_lives: int
    ) -> npt.NDArray[np.float64]:
        """Return NaN for all letters, shape (N, 26): there are no words to look ahead in."""
        return np.full(belief.present.shape, np.nan)

    def with_known(self, known: float) -> Self:
        """Return itself: it knows no word."""
        return self

    def save(self, path: str | Path) -> None:
        """Write the file that :func:`load_posterior` reads."""
        Path(path).write_bytes(save({"format": np.array(FORMAT)}))


def load_posterior(
    path: str | Path, known: float = DEFAULT_KNOWN
) -> LetterPosterior | UniformPosterior:
    """Read what a posterior saved; it runs no code from the file.

    ``known`` is the probability that the secret is one of the words that were fitted, 0 to 1.

    Raises
    ------
    InputError
        If the file is missing, damaged or not such a model.
    """
    try:
        tensors = load_file(path)
        if "format" not in tensors or tensors["format"] != FORMAT:
            raise ValueError("it is of another version; train anew")
        if len(tensors) == 1:
            return UniformPosterior()
        words = unpack_words(tensors["words"])
        count = len(words.lengths)
        is_known = np.unpackbits(_expand(tensors["is_known"]), count=count).astype(bool)
        ratings = np.zeros(count, dtype=np.uint8)
        ratings[~is_known] = _expand(tensors["ratings"])
        by_models = _expand(tensors["by_models"]).reshape(2, count).T.copy().view(np.uint16)
        # The n-grams are counted again, which is as quick as reading their counts would be.
        order, scale = int(tensors["ngram_order"]), float(tensors["ngram_discount_scale"])
        ngrams = SmoothedNgrams(words.take(is_known), order, scale)
        prefix = "multigrams."
        of_multigrams = {
            name.removeprefix(prefix): array
            for name, array in tensors.items()
            if name.startswith(prefix)
        }
        multigrams = Multigrams.from_tensors(of_multigrams)
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
def _believe(thread, num_threads, word, guessed, prior, beam, enough, result):
    """Write the beliefs about N games, shape (N, 27)."""
    slot = np.full(len(prior.ngrams.next_state), -1, dtype=np.int32)
    room, search = multigram_room(prior.multigrams), search_room(prior.listed.words)
    own, replaced, sums = np.empty(_ALL + 1), np.empty(_ALL + 1), np.empty(_ALL + 1)
    by_multigrams = np.empty(_ALL + 1)
    for game in range(thread, len(word), num_threads):
        if not (word[game] == BLANK).any() or guessed[game].all():
            continue
        masked = word[game, : word_length(word[game])]
        fitting = fitting_words(masked, guessed[game], prior.listed.words, search)
        listed_masses(prior.listed, fitting, letter_bits(guessed[game]), own, replaced)
        if len(fitting) >= enough and own[_ALL] > 0.0:
            sums[:] = own
        else:
            scale = prior.scale[len(masked)]
            lattice = lattice_of(masked, guessed[game], prior.ngrams)
            ngram_masses(lattice, prior.ngrams, beam, slot, sums)
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
