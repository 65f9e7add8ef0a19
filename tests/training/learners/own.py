"""A learner of one's own, off-policy; its agent has letter probabilities."""

from typing import ClassVar

import numpy as np
from stable_baselines3 import DQN

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.run_files.config import PPOOptions
from hangman_lab.training.learners.base import Learner, make_env


class OwnAgent(PosteriorAgent):
    """Scores letters alike in all games, by the biases of a network."""

    def __init__(self, biases):
        self.biases = biases

    def _letter_probabilities(self, observations):
        return np.where(observations["guessed"] != 0, 0.0, 1 / (1 + np.exp(-self.biases)))

    def save(self, folder):
        (folder / "policy.safetensors").write_bytes(self.biases.tobytes())

    @classmethod
    def load(cls, folder):
        return cls(np.frombuffer((folder / "policy.safetensors").read_bytes()))


class OwnLearner(Learner):
    class Options(PPOOptions):
        agents: ClassVar = ("own",)

    agent_class = OwnAgent

    def make_model(self):
        env, size = make_env(self.config, self.words.parts["train"], 8), self.options.rollout_size
        options = {"train_freq": size // 8, "learning_starts": 100, "exploration_fraction": 0.9}
        seed = self.config.seed
        return DQN("MultiInputPolicy", env, buffer_size=2_000, seed=seed, device="cpu", **options)

    def agent(self, model):
        return OwnAgent(model.q_net.q_net[-1].bias.detach().double().numpy().copy())
