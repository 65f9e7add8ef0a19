"""MaskablePPO of sb3-contrib on the batched environment, with sb3-contrib's own network.

    PYTHONPATH=. python examples/maskable_ppo.py [--steps 100_000]

It takes no more than the observation: codes of places as numbers, which a multilayer perceptron
makes little of. What a network for words makes of them is in examples/ppo.py.
"""

import argparse

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from envs.hangman.sb3 import HangmanVecEnv

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=100_000)
steps = parser.parse_args().steps

env = HangmanVecEnv(64, max_wrong=10, reward="dense")
model = MaskablePPO("MultiInputPolicy", env, n_steps=64, batch_size=1024, seed=0, device="cpu")


def mean_return() -> float:
    """Play 500 games with the likeliest letters."""
    return evaluate_policy(model, env, n_eval_episodes=500, warn=False)[0]


before = mean_return()
model.learn(steps)
print(f"mean return {before:.2f} before, {mean_return():.2f} after {steps:,} steps")
