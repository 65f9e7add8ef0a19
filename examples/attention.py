"""A learner of one's own: attention on the raw observation, trained by PPO.

python train.py --config examples/attention.yaml
"""

from typing import ClassVar, Literal

import torch
from safetensors.torch import load_file, save
from sb3_contrib import MaskablePPO
from torch import nn

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS
from hangman_lab.run_files.config import PPOOptions
from hangman_lab.training.learners.base import PPOLearner, make_env
from hangman_lab.training.networks import LetterModule


class Attention(LetterModule):
    """A layer of a Transformer, whose tokens are the places of the word."""

    def __init__(self, size):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(MAX_LENGTH, NUM_CODES, size))
        self.state = nn.Linear(NUM_LETTERS + 1, size)
        self.layer = nn.TransformerEncoderLayer(size, 4, 2 * size, dropout=0.0, batch_first=True)
        self.outputs = nn.Linear(size, NUM_LETTERS + 1)

    def forward(self, observations):
        """Return letter scores, shape (N, 26), and the expected return, shape (N, 1)."""
        word, lives = observations["word"].long(), observations["lives"].reshape(-1, 1) / 6
        state = self.state(torch.cat([observations["guessed"], lives], dim=1))
        tokens = self.tokens[torch.arange(word.shape[1]), word] + state[:, None]
        return self.outputs(self.layer(tokens).mean(dim=1)).split([NUM_LETTERS, 1], dim=1)


class AttentionAgent(Agent):
    """Plays the module, with torch."""

    tolerance = 1e-5  # the last digits depend on the batch

    def __init__(self, module):
        self.module = module

    def letter_scores(self, observations):
        """Return the scores of the letters, shape (N, 26)."""
        with torch.no_grad():
            return self.module({k: torch.as_tensor(v) for k, v in observations.items()})[0].numpy()

    def save(self, folder):
        """Write the weights."""
        (folder / "attention.safetensors").write_bytes(save(self.module.state_dict()))

    @classmethod
    def load(cls, folder):
        """Return the agent whose weights are in a folder."""
        weights = load_file(folder / "attention.safetensors")
        module = Attention(size=len(weights["state.bias"]))
        module.load_state_dict(weights)
        return cls(module)


class AttentionLearner(PPOLearner):
    """Trains the module on the train words."""

    class Options(PPOOptions):  # noqa: D106
        size: Literal[32, 64, 128] = 64
        agents: ClassVar = ("attention",)

    agent_class = AttentionAgent

    def make_model(self):
        """Return a new model."""
        env = make_env(self.config, self.words.parts["train"], self.options.num_envs)
        return self.make_ppo(MaskablePPO, env, {"module": lambda: Attention(self.options.size)})

    def agent(self, model):
        """Return the agent that plays the model."""
        return AttentionAgent(model.policy.module)
