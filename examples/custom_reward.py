"""A custom reward for hits, misses and wins.

    python -m examples.custom_reward

A reward is a callable. It gets the outcome of a guess in N games, an ``envs.hangman.rules.Step``.
"""

import gymnasium as gym
import numpy as np

import hangman_lab  # noqa: F401 - registers the environments


class HitReward:
    """1 for a letter in the word, -1 for a lost life, and ``win`` for a won game."""

    def __init__(self, win=5.0):
        self.win = win

    def __call__(self, step):
        """Return the reward of each game, shape (N,)."""
        return (step.newly_shown > 0) * 1.0 - step.lost_life + self.win * step.won


if __name__ == "__main__":
    env = gym.make_vec("hangman_lab/Hangman-v0", num_envs=1000, reward=HitReward())
    _, info = env.reset(seed=0)
    rewards = np.zeros(1000)
    random = np.random.default_rng(0)
    for _ in range(5):
        letters = np.where(info["action_mask"], random.random((1000, 26)), -1).argmax(axis=1)
        _, reward, _, _, info = env.step(letters)
        rewards += reward
    print(f"mean return of five random letters: {rewards.mean():.2f}")
