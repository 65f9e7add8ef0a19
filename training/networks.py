"""The policy networks as torch modules, which are trained, and the policy of MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

import numba
import numpy as np
import torch
from numba import prange
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from hangman_lab.agents.ppo.network import (
    LIVES_UNIT,
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
    Network,
    PolicyNetwork,
)
from hangman_lab.agents.ppo.windows import (
    MIN_EXPECTED,
    NUM_VALUE_FEATURES,
    SHARPNESS_UNIT,
    VALUE_HIDDEN,
    WindowNetwork,
    find_windows,
    window_sums,
)
from hangman_lab.envs.bits import word_length
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.numba_cache import njit

_NUM_TOP = 8


class LetterModule(nn.Module):
    """Scores the 26 letters and estimates the expected return."""

    network: ClassVar[type[Network]]

    def __init__(self, **sizes: int) -> None:
        super().__init__()
        self.sizes = sizes

    def to_numpy(self) -> Network:
        """Return the network that plays, which shares the memory of the parameters."""
        weights = {name: tensor.numpy() for name, tensor in self.state_dict().items()}
        return self.network(weights, **self.sizes)

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26)."""
        return self(features)[0]


class PolicyModule(LetterModule):
    """:class:`agents.ppo.network.PolicyNetwork` with a critic; the initial policy is uniform.

    Parameters
    ----------
    letter_hidden : int, default 32
        Units of each hidden layer of ``letters`` and ``value``.
    look_ahead_lives : int, default 0
        See :func:`agents.ppo.network.policy_features`; stored with the weights that depend on it.
    """

    network = PolicyNetwork

    def __init__(self, letter_hidden: int = 32, look_ahead_lives: int = 0) -> None:
        super().__init__(letter_hidden=letter_hidden, look_ahead_lives=look_ahead_lives)
        self.letters = _perceptron(NUM_LETTER_FEATURES + NUM_STATE_FEATURES, letter_hidden)
        for parameter in self.letters[-1].parameters():
            nn.init.zeros_(parameter)
        self.value = _perceptron(NUM_STATE_FEATURES, letter_hidden)

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26)."""
        letters = features["letters"]
        state = features["state"].unsqueeze(1).expand(-1, NUM_LETTERS, -1)
        return self.letters(torch.cat([letters, state], dim=2)).squeeze(2)

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letter scores, and the expected return, shape (N, 1)."""
        return self.forward_actor(features), self.value(features["state"])


class WindowModule(LetterModule):
    """:class:`agents.ppo.windows.WindowNetwork` with a critic; the initial policy is uniform.

    Parameters
    ----------
    context : int, default 6
    log_rows : int, default 18
        The embedding has ``2**log_rows`` rows.
    """

    network = WindowNetwork

    def __init__(self, context: int = 6, log_rows: int = 18) -> None:
        super().__init__(context=context, log_rows=log_rows)
        self.windows = nn.Parameter(torch.zeros(2**log_rows, NUM_LETTERS))
        self.log_sharpness = nn.Parameter(torch.zeros(()))
        self.guessed = nn.Linear(2 * NUM_LETTERS, NUM_LETTERS, bias=False)
        nn.init.zeros_(self.guessed.weight)
        self.value = _perceptron(NUM_VALUE_FEATURES, VALUE_HIDDEN)

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letter scores, shape (N, 26), and the expected return, shape (N, 1).

        ``features`` are observations of N games as tensors.
        """
        word, guessed = features["word"], features["guessed"] != 0
        lives = features["lives"].reshape(-1, 1)
        blanks = (word == BLANK).sum(dim=1)
        logits, game = self.blank_logits(word, guessed)
        expected = torch.zeros(guessed.shape).index_add(0, game, logits.softmax(dim=1))
        log_expected = torch.log(expected + MIN_EXPECTED)
        codes = torch.zeros(len(word), NUM_CODES).scatter_(1, word.long(), 1.0)
        shown = codes[:, FIRST_LETTER:]
        scores = log_expected * torch.exp(SHARPNESS_UNIT * self.log_sharpness)
        scores = scores + self.guessed(torch.cat([shown, guessed.float() - shown], dim=1))
        state = [
            lives / LIVES_UNIT,
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
        game = torch.nonzero(word == BLANK)[:, 0]
        sums = _WindowSums.apply(self.windows, word.numpy(), self.sizes["context"])
        return sums.masked_fill(guessed[game], -torch.inf), game


class LetterPolicy(MaskableActorCriticPolicy):
    """Actor and critic that are one module, made by ``module``, without a features extractor."""

    # A module and identities, where Stable-Baselines3 has an extractor and linear layers.
    mlp_extractor: Any
    action_net: Any
    value_net: Any

    def __init__(self, *args: Any, module: Callable[[], LetterModule], **options: Any) -> None:
        self._make_module = module
        super().__init__(*args, **(options | {"ortho_init": False}))

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = self._make_module()
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()
        options = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer = self.optimizer_class(self.parameters(), **options)

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        """Return the observation unchanged; Stable-Baselines3 would convert it to floats."""
        return obs

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Return the expected return, shape (N, 1)."""
        return self.module(obs)[1]

    def get_distribution(
        self, obs: Any, action_masks: np.ndarray | None = None
    ) -> MaskableDistribution:
        """Return the distribution over letters."""
        distribution = self._get_action_dist_from_latent(self.module.forward_actor(obs))
        distribution.apply_masking(action_masks)
        return distribution

    @property
    def module(self) -> LetterModule:
        """The module that scores letters."""
        return self.mlp_extractor


def played_network(model: MaskablePPO) -> Network:
    """Return the network of a model with a :class:`LetterPolicy` as it is played."""
    return cast(LetterPolicy, model.policy).module.to_numpy()


class _WindowSums(torch.autograd.Function):
    """Like ``torch.nn.EmbeddingBag``, whose backward pass on a CPU is 10 times slower."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, words: Any, context: int) -> torch.Tensor:
        sums, first_blank = window_sums(words, weight.detach().numpy(), context)
        ctx.windows, ctx.shape = (words, first_blank, context), weight.shape
        return torch.from_numpy(sums)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        gradient, (words, first_blank, context) = np.zeros(ctx.shape, np.float32), ctx.windows
        rows, num_tasks = grad_outputs[0].contiguous().numpy(), numba.get_num_threads()
        _add_to_windows(words, first_blank, context, rows, gradient, num_tasks)
        return torch.from_numpy(gradient), None, None


def _perceptron(num_inputs: int, num_hidden: int) -> nn.Sequential:
    """Return a network with two hidden layers and one output."""
    return nn.Sequential(
        nn.Linear(num_inputs, num_hidden),
        nn.Tanh(),
        nn.Linear(num_hidden, num_hidden),
        nn.Tanh(),
        nn.Linear(num_hidden, 1),
    )


@njit(parallel=True)
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
                for window in range(find_windows(word, length, place, context, mask, rows)):
                    row = np.int64(rows[window])
                    if row % num_tasks == task:
                        for letter in range(NUM_LETTERS):
                            weight[row, letter] += change[blank, letter]
                blank += 1
