"""PPO alone: a policy on windows of the masked word, without a posterior."""

from __future__ import annotations

from functools import partial

from sb3_contrib import MaskablePPO

from hangman_lab.agents.ppo.agent import NetworkAgent
from hangman_lab.run_files.config import WindowsConfig
from hangman_lab.training.learners.base import PPOLearner, make_env
from hangman_lab.training.networks import WindowModule, played_network
from hangman_lab.training.prediction import PredictivePPO


class WindowsLearner(PPOLearner):
    """Trains a policy network on windows, with or without the auxiliary phase."""

    Options = WindowsConfig
    agent_class = NetworkAgent
    options: WindowsConfig

    def make_model(self) -> MaskablePPO:
        """Return a new model that plays all train words."""
        env = make_env(self.config, self.words.parts["train"], self.options.num_envs)
        module = partial(WindowModule, context=self.options.context, log_rows=self.options.log_rows)
        # Fused, since the update of the embedding takes as long as its gradients.
        policy = {"module": module, "optimizer_kwargs": {"eps": 1e-5, "fused": True}}
        if rate := self.options.auxiliary_learning_rate:
            ratio = rate / self.options.learning_rate
            return self.make_ppo(PredictivePPO, env, policy, rate_ratio=ratio)
        return self.make_ppo(MaskablePPO, env, policy)

    def agent(self, model: MaskablePPO) -> NetworkAgent:
        """Return the agent that plays the network of a model."""
        return NetworkAgent(played_network(model))
