"""Posteriors as safetensors; words and their probabilities are compressed."""

from __future__ import annotations

import lzma
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from hangman_lab.agents.posterior.multigrams import Multigrams
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.agents.posterior.prior import LetterModels, WordPrior
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import BLANK, MAX_LENGTH, NUM_CODES, PADDING, EncodedWords
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import DEFAULT_KNOWN

_FORMAT = 4
# The prefix of the multigram arrays, and what reading a damaged file raises.
_MULTIGRAMS = "multigrams."
_DAMAGED = (
    *(OSError, SafetensorError, LookupError, TypeError, ValueError),
    *(zlib.error, lzma.LZMAError),
)


def save_posterior(posterior: LetterPosterior, path: str | Path) -> None:
    """Write a posterior as safetensors, as it was fitted."""
    prior = posterior.prior.with_prior(posterior.prior.known)
    listed, models = prior.listed, prior.models
    tensors = {
        "format": np.array(_FORMAT),
        "words": pack_words(prior.words),
        "is_known": _compress(np.packbits(prior.is_known)),
        "ratings": _compress(listed.surprisals[~prior.is_known]),
        # High bytes and low bytes compress better separately.
        "by_models": _compress(listed.model_surprisals.view(np.uint8).reshape(-1, 2).T),
        "ngram_order": np.array(models.ngrams.order),
        "ngram_discount_scale": np.array(models.ngrams.discount_scale),
        "multigram_weight": np.array(models.weight),
        "length_masses": models.length_masses,
        "shares": prior.shares,
    }
    tensors |= {_MULTIGRAMS + name: array for name, array in models.multigrams.tensors.items()}
    # save_file makes files that only their owner can read.
    Path(path).write_bytes(save(tensors))


def load_posterior(path: str | Path, known: float = DEFAULT_KNOWN) -> LetterPosterior:
    """Load a posterior saved by :func:`save_posterior`, without running code from the file.

    ``known``, 0 to 1, is the prior probability that the secret is one of the fitted words. Raises
    InputError if the file is missing, damaged or not a posterior.
    """
    try:
        tensors = load_file(path)
        if tensors.get("format") != _FORMAT:
            raise ValueError("it is of another version; train again")
        words = unpack_words(tensors["words"])
        is_known = np.unpackbits(_expand(tensors["is_known"]), count=len(words)).astype(bool)
        surprisals = np.zeros(len(words), dtype=np.uint8)
        surprisals[~is_known] = _expand(tensors["ratings"])
        by_models = _expand(tensors["by_models"]).reshape(2, len(words)).T.copy().view(np.uint16)
        # Counting n-grams again takes no longer than reading their counts would.
        order, scale = int(tensors["ngram_order"]), float(tensors["ngram_discount_scale"])
        ngrams = SmoothedNgrams(words[is_known], order, scale)
        names = [name for name in tensors if name.startswith(_MULTIGRAMS)]
        multigrams = Multigrams({name.removeprefix(_MULTIGRAMS): tensors[name] for name in names})
        weight = float(tensors["multigram_weight"])
        models = LetterModels(ngrams, multigrams, weight, tensors["length_masses"])
        shares = tensors["shares"]
        prior = WordPrior(
            words, is_known.view(np.uint8), surprisals, by_models.ravel(), models, shares
        )
    except _DAMAGED as error:
        raise InputError(f"{path}: not a readable posterior ({error})") from error
    return LetterPosterior(prior.with_prior(known))


def pack_words(words: EncodedWords) -> npt.NDArray[np.uint8]:
    """Return the compressed letter codes of words, each followed by ``PADDING``."""
    codes = np.pad(words.codes, [(0, 0), (0, 1)])
    text = codes[np.arange(words.width + 1) <= words.lengths[:, None]]
    # A fifth smaller than with zlib, whose window is short.
    return np.frombuffer(lzma.compress(text.tobytes(), preset=1), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> EncodedWords:
    """Return the words packed by :func:`pack_words`; raise ValueError or LZMAError for others."""
    text = np.frombuffer(lzma.decompress(packed.tobytes(), lzma.FORMAT_XZ), dtype=np.uint8)
    if (text == BLANK).any() or text.max(initial=0) >= NUM_CODES:
        raise ValueError("words: not in letters a to z")
    lengths = np.diff(np.flatnonzero(text == PADDING), prepend=-1)
    lengths -= 1
    width = lengths.max(initial=1)
    if (
        text[-1:].any()
        or (lengths[1:] < lengths[:-1]).any()
        or lengths.min(initial=1) < 1
        or width > MAX_LENGTH
    ):
        raise ValueError(f"words: not of 1 to {MAX_LENGTH} letters, or not sorted by length")
    codes = np.zeros((len(lengths), width), dtype=np.uint8)
    # By length, since lists are long, and memory that is freed is not always returned.
    row = start = 0
    for length, size in enumerate(np.bincount(lengths).tolist()):
        group, end = codes[row : row + size], start + size * (length + 1)
        group[:, :length] = text[start:end].reshape(size, length + 1)[:, :length]
        names = group.view(f"S{width}").ravel()
        if (names[1:] <= names[:-1]).any():
            raise ValueError("words: not sorted")
        row, start = row + size, end
    return EncodedWords(codes, lengths)


def _compress(array: npt.NDArray) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(array.tobytes(), level=9), dtype=np.uint8)


def _expand(compressed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.decompress(compressed.tobytes()), dtype=np.uint8)
