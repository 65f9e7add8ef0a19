"""Behaviour cloning by d3rlpy of a Minari dataset: python -m examples.with_d3rlpy DATASET [STEPS].

d3rlpy 2.8.1, minari 0.5.4; the dataset is made by python -m examples.minari_dataset.
"""

import sys

import gymnasium as gym
import minari
import numpy as np
from d3rlpy.algos import DiscreteBCConfig
from d3rlpy.dataset import MDPDataset
from d3rlpy.logging import NoopAdapterFactory
from gymnasium.wrappers.vector import DtypeObservation, FlattenObservation

recorded, steps = minari.load_dataset(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 3_000
episodes, space = list(recorded.iterate_episodes()), recorded.observation_space
states = [
    gym.spaces.flatten(space, dict(zip(episode.observations, row, strict=True)))
    for episode in episodes
    for row in list(zip(*episode.observations.values(), strict=True))[:-1]  # not the last one
]
columns = [[getattr(episode, name) for episode in episodes] for name in ("actions", "rewards")]
actions, rewards = map(np.concatenate, columns)
ends = np.concatenate([episode.terminations for episode in episodes])
data = MDPDataset(np.array(states, np.float32), actions, rewards, ends.astype(np.float32))
policy, quiet = DiscreteBCConfig(batch_size=512, beta=0.01).create(), NoopAdapterFactory()
for name, new_steps in (("untrained", 1), ("behaviour cloning", steps)):
    policy.fit(data, new_steps, new_steps, show_progress=False, logger_adapter=quiet)
    games = gym.make_vec("hangman_lab:hangman_lab/Hangman-v0", 1000, split="valid")
    games = DtypeObservation(FlattenObservation(games), np.float32)
    (x, infos), won, over = games.reset(seed=0), 0, np.zeros(1000, bool)
    while not over.all():
        letters = policy.predict(x)
        x, rewards, ended, _, infos = games.step(letters)
        won, over = won + ((rewards == 1) & ~over).sum(), over | ended
    print(f"{name}: {won / 1000:.1%} of unseen words won")
