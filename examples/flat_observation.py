"""A wrapper that turns the observation into one vector, for libraries that expect a vector.

PYTHONPATH=. python examples/flat_observation.py
"""

import gymnasium as gym
import numpy as np

NUM_CODES = 28  # padding, blank and the letters


class FlatObservation(gym.ObservationWrapper):
    """One-hot places, then the 26 guessed letters, then the lives as a share; float32, 0 to 1."""

    def __init__(self, env):
        super().__init__(env)
        width = env.observation_space["word"].shape[0]
        self.observation_space = gym.spaces.Box(0, 1, (width * NUM_CODES + 27,), np.float32)
        self._max_lives = env.observation_space["lives"].n - 1

    def observation(self, observation):
        """Return the vector; the action mask stays in the info."""
        places = np.eye(NUM_CODES)[observation["word"]].ravel()
        lives = [observation["lives"] / self._max_lives]
        return np.concatenate([places, observation["guessed"], lives]).astype(np.float32)


if __name__ == "__main__":
    env = FlatObservation(gym.make("envs:Hangman-v0"))
    observation, info = env.reset(seed=0)
    print(f"{observation.shape[0]} numbers, {observation.min():.0f} to {observation.max():.0f}")
    done, total = False, 0.0
    while not done:
        letter = env.action_space.sample(info["action_mask"])
        observation, reward, done, _, info = env.step(letter)
        total += reward
    print(f"return {total:.0f}")
