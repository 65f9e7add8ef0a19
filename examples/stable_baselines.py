"""An algorithm of Stable-Baselines3 or sb3-contrib as it is, on words that it has never seen.

python -m examples.stable_baselines [PPO | DQN | MaskablePPO] [STEPS] [SEED]
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import EvalCallback

from hangman_lab.agents import make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.envs import HangmanVecEnv
from hangman_lab.envs.words import Split, default_word_list
from hangman_lab.evaluation import compare


class Policy(Agent):
    """The best unguessed letter by the logits of a policy, or by the values of DQN."""

    def __init__(self, model):
        self.model = model

    def letter_scores(self, observations):
        """Return the scores of 26 letters in N games."""
        policy, width = self.model.policy, self.model.observation_space["word"].shape[0]
        word = np.pad(observations["word"], ((0, 0), (0, width - observations["word"].shape[1])))
        tensors, _ = policy.obs_to_tensor({**observations, "word": word})
        with torch.no_grad():
            is_dqn = isinstance(self.model, DQN)
            scores = (
                policy.q_net(tensors)
                if is_dqn
                else policy.get_distribution(tensors).distribution.logits
            )
        return scores.numpy()


if __name__ == "__main__":
    defaults = ["MaskablePPO", "100_000", "0"]
    name, steps, seed = sys.argv[1:] + defaults[len(sys.argv) - 1 :]
    torch.set_num_threads(1)
    algorithm = {"PPO": PPO, "DQN": DQN, "MaskablePPO": MaskablePPO}[name]
    words, options, callback = Split().divide(default_word_list())["train"], {}, None
    with TemporaryDirectory() as folder:
        if name == "DQN":
            # Its win rate swings: of 40 networks, the one that wins most words held back is kept.
            held_back, words = words[::20], [word for at, word in enumerate(words) if at % 20]
            games = HangmanVecEnv(64, words=[*held_back, max(words, key=len)], reward="dense")
            often = {"n_eval_episodes": 1_000, "eval_freq": max(int(steps) // 320, 1)}
            callback = EvalCallback(games, best_model_save_path=folder, **often)
            # For the eight steps of a batch; by default, one update for four steps.
            options = {"train_freq": 1, "gradient_steps": 2}
        env = HangmanVecEnv(8, words=words, reward="dense")
        model = algorithm("MultiInputPolicy", env, seed=int(seed), device="cpu", **options)
        model.learn(int(steps), callback)
        if callback is not None:
            model = algorithm.load(f"{folder}/best_model")
    agents = {name: Policy(model), "random": make_agent("random")}
    print(compare(agents, split="valid"))
