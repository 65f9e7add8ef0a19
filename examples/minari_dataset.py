"""Games of agents as a Minari dataset, with the masks in the infos.

Run with minari 0.5.4 and h5py: python -m examples.minari_dataset --agents ppo random --games 10000
"""

import argparse

import gymnasium as gym
from minari import DataCollector

import hangman_lab
from hangman_lab.envs.encoding import letter_index
from hangman_lab.evaluation import arena


def record(names, num_games, dataset_id):
    """Record the games of seeds 0, 1, ... with train words, by the agents in turn."""
    env = gym.make("hangman_lab/Hangman-v0", split="train")
    words = []
    for seed in range(num_games):
        env.reset(seed=seed)
        words.append(env.unwrapped.secret)
    letters = [""] * num_games
    for turn, name in enumerate(names):
        # Played as one batch, by observations alone.
        played = arena.play(hangman_lab.load_agent(name), words[turn :: len(names)])
        letters[turn :: len(names)] = played.letters
    collector = DataCollector(env, record_infos=True)
    for seed, guesses in enumerate(letters):
        collector.reset(seed=seed)
        for letter in guesses:
            collector.step(letter_index(letter))
    return collector.create_dataset(dataset_id, eval_env=env, algorithm_name=" and ".join(names))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--agents", nargs="+", default=["ppo"])
    parser.add_argument("--games", type=int, default=10_000)
    options = parser.parse_args()
    print(record(options.agents, options.games, f"hangman/{'-'.join(options.agents)}-v0"))
