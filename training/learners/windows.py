"""PPO alone: a policy on windows of the masked word, without a posterior."""

from __future__ import annotations

from functools import partial
from typing import cast

from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm

from hangman_lab.agents.base import Agent
from hangman_lab.agents.ppo.agent import NetworkAgent, load_network
from hangman_lab.agents.ppo.policy import LetterPolicy
from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.run_files.config import WindowsConfig
from hangman_lab.training.learners.ppo import PPOLearner, make_env, make_ppo
from hangman_lab.training.posterior import hold_back
from hangman_lab.training.prediction import PredictivePPO


class WindowsLearner(PPOLearner):
    """Trains a policy network on windows, with or without the prediction phase."""

    def make_model(self) -> MaskablePPO:
        """Return a new model that plays all train words."""
        options = cast(WindowsConfig, self.config.learner)
        held_back, rest = hold_back(self.words.parts["train"])
        env = make_env(self.config, (*held_back, *rest), options.num_envs)
        network = partial(WindowNetwork, context=options.context, log_rows=options.log_rows)
        # Fused, since the update of the embedding takes as long as its gradients.
        policy = {"network": network, "optimizer_kwargs": {"eps": 1e-5, "fused": True}}
        if rate := options.prediction_rate:
            return make_ppo(PredictivePPO, self.config, env, policy, prediction_rate=rate)
        return make_ppo(MaskablePPO, self.config, env, policy)

    def agent(self, model: BaseAlgorithm) -> NetworkAgent:
        """Return the agent that plays the network of a model."""
        return NetworkAgent(cast(LetterPolicy, model.policy).network)

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the policy."""
        return {"ppo": NetworkAgent(load_network(self.run.policy))}
