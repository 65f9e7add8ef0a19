"""MaskablePPO of sb3-contrib with its default layers, evaluated on unseen words.

    python -m examples.maskable_ppo [--steps 160_000] [--seed 0]

The features are a flat vector of zeros and ones. examples/ppo.py has a network for words, with
the same rewards.
"""

import argparse

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.envs.words import Split, default_word_list
from hangman_lab.training.stock import FlatFeatures

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=160_000)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()
torch.set_num_threads(1)  # more threads do not speed up a small network

words = Split().divide(default_word_list())
# Both parts have words of 24 letters, so that the spaces are the same.
env = HangmanVecEnv(64, words=words["train"], max_length=24, reward="dense")
# The sparse reward is 1 for a win and -1 for a loss, so that its mean gives the win rate.
unseen = HangmanVecEnv(64, words=words["valid"], max_length=24, reward="sparse")
unseen.seed(options.seed)
model = MaskablePPO(
    "MultiInputPolicy",
    env,
    policy_kwargs={"features_extractor_class": FlatFeatures},
    learning_rate=3e-3,
    n_steps=64,
    batch_size=256,
    n_epochs=4,
    gamma=0.0,  # the dense reward is immediate
    seed=options.seed,
    device="cpu",
)
for part in range(11):
    if part:
        model.learn(options.steps // 10, reset_num_timesteps=False)
    mean, _ = evaluate_policy(model, unseen, n_eval_episodes=1000, warn=False)
    print(f"{model.num_timesteps:,} steps: {(1 + mean) / 2:.1%} of unseen words won", flush=True)
