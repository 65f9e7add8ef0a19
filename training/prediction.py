"""The auxiliary phase of PPO alone: windows learn to predict later observations."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from torch.nn.functional import log_softmax

from hangman_lab.envs.encoding import BLANK, FIRST_LETTER
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.training.networks import WindowModule


class PredictivePPO(MaskablePPO):
    """MaskablePPO with an auxiliary phase after each update.

    In one pass over the rollout, in batches of ``batch_size``, a separate Adam optimizer minimizes
    :func:`prediction_loss` over the windows of a :class:`WindowModule`. The targets are the
    agent's later observations of the same games, never secrets. The learning rate is ``rate_ratio``
    times that of PPO. With ``n_epochs`` 0 there is no policy gradient.

    References
    ----------
    Karl Cobbe et al., "Phasic policy gradient", ICML 2021: an auxiliary phase after the updates.
    """

    def __init__(self, *args: Any, rate_ratio: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rate_ratio = rate_ratio
        # Fused, since the update of the embedding takes as long as its gradients.
        self.auxiliary_optimizer = torch.optim.Adam([self._module.windows], eps=1e-5, fused=True)
        # The terminal observations of the rollout, by step and environment.
        self._terminal: dict[tuple[int, int], Observations] = {}

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        names, variables = super()._get_torch_save_params()
        return [*names, "auxiliary_optimizer"], variables

    @property
    def _module(self) -> WindowModule:
        return cast(WindowModule, self.policy.module)

    def _update_info_buffer(
        self, infos: list[dict[str, Any]], dones: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super()._update_info_buffer(infos, dones)
        assert dones is not None
        step = self.rollout_buffer.pos
        for env in np.flatnonzero(dones).tolist():
            self._terminal[step, env] = infos[env]["terminal_observation"]

    def train(self) -> None:
        """Update the policy by PPO, then the windows by the prediction loss."""
        # Read before the update, which flattens the buffer.
        states = self.rollout_buffer.observations
        following = cast(Observations, self._last_obs)
        ends = last_observations(self._terminal, following, self.n_steps)
        arrays = states["word"], states["guessed"].astype(bool), ends["word"], ends["guessed"] != 0
        self._terminal = {}
        if self.n_epochs > 0:
            super().train()
        tensors = [torch.from_numpy(array.reshape(-1, array.shape[-1])) for array in arrays]
        rate = self._rate_ratio * self.lr_schedule(self._current_progress_remaining)
        self.auxiliary_optimizer.param_groups[0]["lr"] = rate
        losses = []
        for batch in torch.randperm(len(tensors[0])).split(self.batch_size):
            loss = prediction_loss(self._module, *(tensor[batch] for tensor in tensors))
            self.auxiliary_optimizer.zero_grad()
            loss.backward()
            self.auxiliary_optimizer.step()
            losses.append(loss.item())
        self.logger.record("train/prediction_loss", np.mean(losses))


def last_observations(
    terminal: dict[tuple[int, int], Observations], following: Observations, num_steps: int
) -> dict[str, npt.NDArray[np.uint8]]:
    """Return, for each state of a rollout, the last observation of the same game.

    These are ``word``, shape (num_steps, N, width), and ``guessed``, shape (num_steps, N, 26).
    ``terminal`` has the terminal observations by step and environment; ``following`` are the
    observations of the N environments after the rollout.
    """
    names: tuple[Literal["word", "guessed"], ...] = ("word", "guessed")
    result: dict[str, npt.NDArray[Any]] = {
        name: np.repeat(following[name][None], num_steps, axis=0) for name in names
    }
    # From the last ending to the first, each replaces the observations up to it.
    for step, env in sorted(terminal, reverse=True):
        for name in names:
            result[name][: step + 1, env] = terminal[step, env][name]
    return result


def prediction_loss(
    module: WindowModule,
    word: torch.Tensor,
    guessed: torch.Tensor,
    last_word: torch.Tensor,
    last_guessed: torch.Tensor,
) -> torch.Tensor:
    """Return the mean negative log-likelihood of the letters behind blanks.

    The likelihood of a blank is the probability of its letter if the last observation of the game,
    ``last_word`` and ``last_guessed``, shows it, and otherwise the total probability of the letters
    that were not guessed by then. The shapes are (N, width) and (N, 26).
    """
    logits, game = module.blank_logits(word, guessed)
    log_likelihoods = log_softmax(logits, dim=1)
    last = last_word[word == BLANK].long()
    is_shown = last != BLANK
    shown = log_likelihoods[is_shown].gather(1, last[is_shown, None] - FIRST_LETTER)
    hidden = log_likelihoods[~is_shown].masked_fill(last_guessed[game[~is_shown]], -torch.inf)
    return -(shown.sum() + hidden.logsumexp(dim=1).sum()) / max(len(last), 1)
