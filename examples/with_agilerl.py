"""DQN of AgileRL, which reads the mask from the infos: python -m examples.with_agilerl [STEPS].

AgileRL 2.58.0: 59 to 64% of unseen words, random letters 1 to 3% (60,000 steps, 33 s, AMD EPYC).
"""

import sys

import gymnasium as gym
import numpy as np
from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy
from gymnasium.wrappers.vector import DtypeObservation, FlattenObservation


def make_envs(number, part="train", reward="dense"):
    """Return games of 12-letter words with vectors of zeros and ones."""
    rules = {"min_length": 12, "max_length": 12, "max_wrong": 10, "reward": reward}
    envs = gym.make_vec("hangman_lab:hangman_lab/Hangman-v0", num_envs=number, split=part, **rules)
    return DtypeObservation(FlattenObservation(envs), np.float32)


envs, steps = make_envs(32), int(sys.argv[1]) // 32 * 32 if sys.argv[1:] else 60_000
layers = {"encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [128]}}
options = {"net_config": layers, "batch_size": 128, "lr": 1e-3, "gamma": 0.5, "tau": 0.01}
agent = DQN(envs.single_observation_space, envs.single_action_space, learn_step=8, **options)
plan = {"max_steps": steps, "evo_steps": steps, "eps_decay": 0.995, "eps_end": 0.1}
train_off_policy(envs, "Hangman", "DQN", [agent], ReplayBuffer(50_000), verbose=False, **plan)
for name, epsilon in (("random letters", 1.0), ("DQN", 0.0)):
    games = make_envs(500, "valid", "sparse")
    (x, infos), won, over = games.reset(), 0, np.zeros(500, bool)
    while not over.all():
        letters = agent.get_action(x, epsilon, infos["action_mask"])
        x, rewards, ended, _, infos = games.step(letters)
        won, over = won + ((rewards == 1) & ~over).sum(), over | ended
    print(f"{name}: {won / 500:.1%} of unseen words won")
