"""The policy network as sb3-contrib's MaskablePPO wants it."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from agents.ppo.network import PolicyNetwork


class _KeepFeatures(BaseFeaturesExtractor):
    """Hands the observation's arrays to the network as they are."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        super().__init__(observation_space, features_dim=1)

    def forward(self, observations: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return observations


class LetterPolicy(MaskableActorCriticPolicy):
    """Actor and critic over :class:`agents.ppo.network.PolicyNetwork`.

    Parameters
    ----------
    observation_space, action_space, lr_schedule
        As Stable-Baselines3 gives them; the observations are ``policy_features``.
    network : dict
        The sizes of the network.
    freeze : list of str
        Parts of the network that are not trained.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        network: dict[str, Any],
        freeze: list[str],
        **options: Any,
    ) -> None:
        self._network_parameters = network
        self._freeze = freeze
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            features_extractor_class=_KeepFeatures,
            ortho_init=False,
            **options,
        )

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = PolicyNetwork(**self._network_parameters)
        self.mlp_extractor.freeze(self._freeze)
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()
        trained = [parameter for parameter in self.parameters() if parameter.requires_grad]
        self.optimizer = self.optimizer_class(trained, lr=lr_schedule(1), **self.optimizer_kwargs)

    @property
    def network(self) -> PolicyNetwork:
        """The network that scores letters."""
        return self.mlp_extractor
