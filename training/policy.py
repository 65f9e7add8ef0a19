"""The policy class for sb3-contrib's MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from hangman_lab.training.networks import LetterModule


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
