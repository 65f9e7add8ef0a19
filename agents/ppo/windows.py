"""The policy network without a posterior: hashed windows of the masked word around each blank."""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
import torch
from numba import njit, prange
from torch import nn

from hangman_lab.agents.ppo.network import perceptron
from hangman_lab.envs.compiled import word_length
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG

_START = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
# Separators, which are not codes of a word.
_LEFT, _PLACE = NUM_CODES + 4, NUM_CODES + 5
# Multiplies the learned log-sharpness. Adam's step size is fixed, so this sets how fast the policy
# sharpens.
_SHARPNESS_UNIT = 10.0
_NUM_TOP = 8
_NUM_STATE_FEATURES = 5
_VALUE_HIDDEN = 32


@njit(inline="always")
def _mix(key, code):
    key = (key ^ (np.uint64(code) + np.uint64(1))) * _MIX
    return key ^ (key >> np.uint64(29))


@njit(cache=True)
def _find_windows(word, length, place, context, mask, rows):
    """Write the rows of a blank's windows to ``rows``; return their number.

    A window whose outermost place is a blank is skipped: the next smaller one carries the same
    information.
    """
    rows[0] = _mix(_mix(_mix(_START, _PLACE), length), place) & mask
    count = 1
    left = _START
    for before in range(context + 1):
        if before > 0:
            code = word[place - before] if place >= before else PADDING
            left = _mix(left, code)
            if code == BLANK:
                continue
        key = _mix(left, _LEFT)
        for after in range(context - before + 1):
            code = PADDING
            if after > 0:
                if place + after < length:
                    code = word[place + after]
                key = _mix(key, code)
                if code == BLANK:
                    continue
            rows[count] = key & mask
            count += 1
            if after > 0 and code == PADDING:
                break
        if before > place:
            break
    return count


@njit(cache=True, parallel=True)
def _sum_windows(words, first_blank, context, weight, sums):
    """Write the sum of each blank's rows of ``weight`` to ``sums``, shape (blanks, 26)."""
    mask = np.uint64(len(weight) - 1)
    for game in prange(len(words)):
        rows = np.empty((context + 1) ** 2 + 1, dtype=np.uint64)
        word, blank = words[game], first_blank[game]
        length = word_length(word)
        for place in range(length):
            if word[place] != BLANK:
                continue
            sums[blank] = 0
            for window in range(_find_windows(word, length, place, context, mask, rows)):
                row = rows[window]
                for letter in range(NUM_LETTERS):
                    sums[blank, letter] += weight[row, letter]
            blank += 1


@njit(cache=True, parallel=True)
def _add_to_windows(words, first_blank, context, change, weight, num_tasks):
    """Add each blank's row of ``change`` to the rows of its windows.

    A row belongs to one task, which adds to it in the order of the games: the sums do not depend
    on the number of tasks.
    """
    mask = np.uint64(len(weight) - 1)
    for task in prange(num_tasks):
        rows = np.empty((context + 1) ** 2 + 1, dtype=np.uint64)
        for game in range(len(words)):
            word, blank = words[game], first_blank[game]
            length = word_length(word)
            for place in range(length):
                if word[place] != BLANK:
                    continue
                for window in range(_find_windows(word, length, place, context, mask, rows)):
                    row = np.int64(rows[window])
                    if row % num_tasks == task:
                        for letter in range(NUM_LETTERS):
                            weight[row, letter] += change[blank, letter]
                blank += 1


class _ReusedZeros:
    """Zeros in the memory of the last ones, unless a tensor still refers to it.

    New memory of the embedding's size costs five times as much as zeroing it.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._array = np.zeros(0, dtype=np.float32)

    def __call__(self) -> torch.Tensor:
        # One reference is the attribute, one the argument; tensors in this memory have others.
        if self._array.size == 0 or sys.getrefcount(self._array) > 2:
            self._array = np.zeros(self._shape, dtype=np.float32)
        else:
            self._array.fill(0)
        return torch.from_numpy(self._array)


class _WindowSums(torch.autograd.Function):
    """Like ``torch.nn.EmbeddingBag``, whose backward pass on a CPU is 10 times slower."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, zeros: _ReusedZeros, *windows: Any) -> torch.Tensor:
        words, first_blank, context = windows
        ctx.windows, ctx.zeros = windows, zeros
        sums = torch.empty((int(first_blank[-1]), NUM_LETTERS))
        _sum_windows(words, first_blank, context, weight.detach().numpy(), sums.numpy())
        return sums

    @staticmethod
    def backward(ctx: Any, change: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        gradient, (words, first_blank, context) = ctx.zeros(), ctx.windows
        rows, num_tasks = change.contiguous().numpy(), numba.get_num_threads()
        _add_to_windows(words, first_blank, context, rows, gradient.numpy(), num_tasks)
        return gradient, None, None, None, None


class WindowNetwork(nn.Module):
    """Scores the 26 letters and estimates the expected return, from the observation alone.

    A window is a blank with up to ``context`` places around it, both sides together. Its hash is a
    row of the embedding ``windows``. The softmax of the summed rows of a blank, over the unguessed
    letters, is a distribution over the letter behind it; the sum over blanks is the expected
    number of occurrences of a letter. The letter's score is the logarithm of this, times a learned
    sharpness, plus a linear layer of the shown and the wrong letters. The initial policy is
    uniform.

    Parameters
    ----------
    context : int, default 6
    log_rows : int, default 18
        The embedding has ``2**log_rows`` rows; windows with the same hash share a row.
    """

    def __init__(self, context: int = 6, log_rows: int = 18) -> None:
        super().__init__()
        self.parameters_of_init = {"context": context, "log_rows": log_rows}
        self.context = context
        self.windows = nn.Parameter(torch.zeros(2**log_rows, NUM_LETTERS))
        self._zeros = _ReusedZeros((2**log_rows, NUM_LETTERS))
        self.log_sharpness = nn.Parameter(torch.zeros(()))
        self.guessed = nn.Linear(2 * NUM_LETTERS, NUM_LETTERS, bias=False)
        nn.init.zeros_(self.guessed.weight)
        self.value = perceptron(_NUM_TOP + _NUM_STATE_FEATURES, _VALUE_HIDDEN)

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letter scores, shape (N, 26), and the expected return, shape (N, 1).

        ``features`` are observations of N games as tensors.
        """
        word, guessed = features["word"], features["guessed"] != 0
        lives = features["lives"].reshape(-1, 1)
        blanks = (word == BLANK).sum(dim=1)
        logits, game = self.blank_logits(word, guessed)
        expected = torch.zeros(guessed.shape).index_add(0, game, logits.softmax(dim=1))
        log_expected = torch.log(expected + 1e-6)
        codes = torch.zeros(len(word), NUM_CODES).scatter_(1, word.long(), 1.0)
        shown = codes[:, FIRST_LETTER:]
        scores = log_expected * torch.exp(_SHARPNESS_UNIT * self.log_sharpness)
        scores = scores + self.guessed(torch.cat([shown, guessed.float() - shown], dim=1))
        state = [
            lives / DEFAULT_MAX_WRONG,
            lives == 1,
            blanks[:, None] / 10,
            (word != PADDING).sum(dim=1, keepdim=True) / 10,
            guessed.sum(dim=1, keepdim=True) / NUM_LETTERS,
        ]
        likeliest = log_expected.detach().topk(_NUM_TOP, dim=1).values.clamp(min=-6)
        return scores, self.value(torch.cat([likeliest, *state], dim=1))

    def blank_logits(
        self, word: torch.Tensor, guessed: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits of the letter behind each blank, and the game of each blank.

        ``word``, uint8 of shape (N, width), and ``guessed``, bool of shape (N, 26), are
        observations. The logits have shape (blanks, 26) and are -inf for guessed letters.
        """
        blanks = (word == BLANK).sum(dim=1)
        first_blank = np.concatenate([[0], blanks.numpy().cumsum()])
        sums = _WindowSums.apply(self.windows, self._zeros, word.numpy(), first_blank, self.context)
        game = torch.repeat_interleave(blanks)
        return sums.masked_fill(guessed[game], -torch.inf), game

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26)."""
        return self(features)[0]
