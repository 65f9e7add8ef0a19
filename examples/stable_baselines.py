"""An algorithm of Stable-Baselines3 or sb3-contrib as it is, on words that it has never seen.

python -m examples.stable_baselines [PPO | DQN | MaskablePPO] [STEPS] [SEED]
"""

import sys

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

from hangman_lab.agents import Agent, make_agent
from hangman_lab.envs import HangmanVecEnv
from hangman_lab.evaluation import compare


class Policy(Agent):
    """The best unguessed letter by the logits of a policy, or by the values of DQN."""

    def letter_scores(self, observations):
        """Return the scores of 26 letters in N games."""
        more = env.observation_space["word"].shape[0] - observations["word"].shape[1]
        word = np.pad(observations["word"], ((0, 0), (0, more)))
        tensors, _ = model.policy.obs_to_tensor({**observations, "word": word})
        with torch.no_grad():
            if name == "DQN":
                return model.policy.q_net(tensors).numpy()
            return model.policy.get_distribution(tensors).distribution.logits.numpy()


name, steps, seed = sys.argv[1:] + ["MaskablePPO", "100_000", "0"][len(sys.argv) - 1 :]
torch.set_num_threads(1)
env = HangmanVecEnv(8, split="train", reward="dense")
# Two updates of DQN for the eight steps of a batch, one for four steps, as by default.
options = {"train_freq": 1, "gradient_steps": 2} if name == "DQN" else {}
algorithm = {"PPO": PPO, "DQN": DQN, "MaskablePPO": MaskablePPO}[name]
model = algorithm("MultiInputPolicy", env, seed=int(seed), device="cpu", **options)
model.learn(int(steps))
print(compare({name: Policy(), "random": make_agent("random")}, split="valid"))
