"""The prediction phase of PPO alone: windows learn to predict later observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from torch.nn.functional import log_softmax

from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER
from hangman_lab.envs.hangman.observation import Observation


class PredictivePPO(MaskablePPO):
    """MaskablePPO with an auxiliary phase after each update.

    In one pass over the rollout, in batches of ``batch_size``, a separate Adam optimizer minimizes
    :func:`prediction_loss` over the windows of a :class:`WindowNetwork`. The targets are the
    agent's later observations of the same games, never secrets. With ``n_epochs`` 0 there is no
    policy gradient.

    Parameters
    ----------
    prediction_rate : float
        The learning rate of the auxiliary phase; it decreases like that of PPO.
    *args, **kwargs
        The arguments of MaskablePPO.

    References
    ----------
    Karl Cobbe et al., "Phasic policy gradient", ICML 2021: an auxiliary phase after the updates.
    """

    def __init__(self, *args: Any, prediction_rate: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prediction_rate = prediction_rate
        # Fused, since the update of the embedding takes as long as its gradients.
        self.prediction_optimizer = torch.optim.Adam(
            [self.policy.network.windows], lr=prediction_rate, eps=1e-5, fused=True
        )
        # The terminal observations of the rollout, by step and environment.
        self._terminal: dict[tuple[int, int], Observation] = {}

    def _update_info_buffer(
        self, infos: list[dict[str, Any]], dones: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super()._update_info_buffer(infos, dones)
        step = self.rollout_buffer.pos
        for env in np.flatnonzero(dones).tolist():
            self._terminal[step, env] = infos[env]["terminal_observation"]

    def train(self) -> None:
        """Update the policy by PPO, then the windows by the prediction loss."""
        # Read before the update, which flattens the buffer.
        states = self.rollout_buffer.observations
        ends = last_observations(self._terminal, self._last_obs, self.n_steps)
        arrays = states["word"], states["guessed"].astype(bool), ends["word"], ends["guessed"] != 0
        self._terminal = {}
        if self.n_epochs > 0:
            super().train()
        tensors = [torch.from_numpy(array.reshape(-1, array.shape[-1])) for array in arrays]
        share = self.lr_schedule(self._current_progress_remaining) / self.lr_schedule(1.0)
        self.prediction_optimizer.param_groups[0]["lr"] = self._prediction_rate * share
        losses = []
        for batch in torch.randperm(len(tensors[0])).split(self.batch_size):
            loss = prediction_loss(self.policy.network, *(tensor[batch] for tensor in tensors))
            self.prediction_optimizer.zero_grad()
            loss.backward()
            self.prediction_optimizer.step()
            losses.append(loss.item())
        self.logger.record("train/prediction_loss", np.mean(losses))


def last_observations(
    terminal: dict[tuple[int, int], Observation], following: Observation, num_steps: int
) -> dict[str, npt.NDArray[np.uint8]]:
    """Return, for each state of a rollout, the last observation of the same game.

    Parameters
    ----------
    terminal : dict
        The terminal observations, by step and environment.
    following : Observation
        The observations of the N environments after the rollout.
    num_steps : int

    Returns
    -------
    dict
        ``word``, shape (num_steps, N, width), and ``guessed``, shape (num_steps, N, 26).
    """
    ends = {name: np.array(following[name]) for name in ("word", "guessed")}
    result = {
        name: np.empty((num_steps, *end.shape), dtype=end.dtype) for name, end in ends.items()
    }
    by_step: list[list[int]] = [[] for _ in range(num_steps)]
    for step, env in terminal:
        by_step[step].append(env)
    for step in reversed(range(num_steps)):
        for name, end in ends.items():
            for env in by_step[step]:
                end[env] = terminal[step, env][name]
            result[name][step] = end
    return result


def prediction_loss(
    network: WindowNetwork,
    word: torch.Tensor,
    guessed: torch.Tensor,
    last_word: torch.Tensor,
    last_guessed: torch.Tensor,
) -> torch.Tensor:
    """Return the mean negative log-likelihood of the letters behind blanks.

    The likelihood of a blank is the probability of its letter if the last observation shows it,
    and otherwise the total probability of the letters that were not guessed by then.

    Parameters
    ----------
    network : WindowNetwork
    word, last_word : tensor of uint8, shape (N, width)
        The masked words of states, and of the last observations of their games.
    guessed, last_guessed : tensor of bool, shape (N, 26)
    """
    logits, game = network.blank_logits(word, guessed)
    log_likelihoods = log_softmax(logits, dim=1)
    last = last_word[word == BLANK].long()
    is_shown = last != BLANK
    shown = log_likelihoods[is_shown].gather(1, last[is_shown, None] - FIRST_LETTER)
    hidden = log_likelihoods[~is_shown].masked_fill(last_guessed[game[~is_shown]], -torch.inf)
    return -(shown.sum() + hidden.logsumexp(dim=1).sum()) / max(len(last), 1)
