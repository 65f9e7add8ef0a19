"""PPO alone: a policy on windows of the masked word, without a posterior."""

from __future__ import annotations

from functools import partial
from typing import cast

from sb3_contrib import MaskablePPO

from hangman_lab.run_files.config import WindowsConfig
from hangman_lab.training.learners.ppo import PPOLearner, make_env, make_ppo
from hangman_lab.training.networks import WindowModule
from hangman_lab.training.posterior import hold_back
from hangman_lab.training.prediction import PredictivePPO


class WindowsLearner(PPOLearner):
    """Trains a policy network on windows, with or without the prediction phase."""

    def make_model(self) -> MaskablePPO:
        """Return a new model that plays all train words."""
        options = cast(WindowsConfig, self.config.learner)
        # The order of the words decides which are drawn; it is the same as with a posterior.
        held_back, rest = hold_back(self.words.parts["train"])
        env = make_env(self.config, (*held_back, *rest), options.num_envs)
        module = partial(WindowModule, context=options.context, log_rows=options.log_rows)
        # Fused, since the update of the embedding takes as long as its gradients.
        policy = {"module": module, "optimizer_kwargs": {"eps": 1e-5, "fused": True}}
        if rate := options.prediction_rate:
            ratio = rate / options.learning_rate
            return make_ppo(PredictivePPO, self.config, env, policy, rate_ratio=ratio)
        return make_ppo(MaskablePPO, self.config, env, policy)
