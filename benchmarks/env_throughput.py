"""Steps per second of the batched environments and of vectorized single environments.

    python -m benchmarks.env_throughput [--seconds 6]

All environments play every twentieth word of the default list and its longest word, the evil host
all of the list, with letters in a random order that is drawn beforehand. A step is a guess in one
game, with observation, mask, reward and the reset of finished games. The rate is for one core, the
best of three rounds.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from gymnasium import Env
from gymnasium.vector import SyncVectorEnv
from rich.console import Console
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from hangman_lab.envs.hangman.env import HangmanEnv, HangmanVectorEnv
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.envs.words import default_word_list
from hangman_lab.terminal.arguments import CommandParser, command_main, real
from hangman_lab.terminal.tables import DataTable, print_table

NUM_GAMES = 4096
# Single environments in a Python loop are slow; fewer of them take the same time per step.
NUM_SINGLE_GAMES = 64
ROUNDS = 3
SYNC, DUMMY = "Gymnasium SyncVectorEnv of HangmanEnv", "SB3 DummyVecEnv of HangmanEnv"


def make_environments():
    """Return the environments by name, after a reset."""
    listed = default_word_list().words
    # Each single environment indexes the words; the whole list would take minutes.
    words = [*listed[::20], max(listed, key=len)]
    single: list[Callable[[], Env]] = [partial(HangmanEnv, words)] * NUM_SINGLE_GAMES
    same_step = HangmanVectorEnv(NUM_GAMES, words=words, autoreset_mode="SameStep")
    envs = {
        "HangmanVectorEnv, next-step autoreset (default)": HangmanVectorEnv(NUM_GAMES, words=words),
        "HangmanVectorEnv, same-step autoreset": same_step,
        "HangmanVectorEnv, evil host": HangmanVectorEnv(1024, host="evil"),
        SYNC: SyncVectorEnv(single),
        "HangmanVecEnv (Stable-Baselines3)": HangmanVecEnv(NUM_GAMES, words=words),
        DUMMY: DummyVecEnv(single),
    }
    for env in envs.values():
        if isinstance(env, VecEnv):
            env.seed(0)
            env.reset()
        else:
            env.reset(seed=0)
    return envs


def steps_per_second(env, seconds):
    """Return the best rate of several rounds that take about ``seconds`` in total."""
    random = np.random.default_rng(0)
    # 26 steps, with each letter once per game.
    letters = random.permuted(np.tile(np.arange(26), (env.num_envs, 1)), axis=1).T.copy()

    def rate(num_steps):
        start = time.perf_counter()
        for step in range(num_steps):
            env.step(letters[step % 26])
            if isinstance(env, VecEnv):
                # sb3-contrib requests masks; those of Gymnasium are in the infos.
                np.stack(env.env_method("action_masks"))
        return num_steps * env.num_envs / (time.perf_counter() - start)

    rate(2)
    num_steps = max(4, int(seconds / ROUNDS * rate(4) / env.num_envs))
    return max(rate(num_steps) for _ in range(ROUNDS))


@command_main("env_throughput")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--seconds",
        type=partial(real, low=0.01, high=3600),
        default=6.0,
        help="per row of the table",
    )
    seconds = parser.parse_args(arguments).seconds
    # As in timeit: garbage collection is not measured.
    gc.disable()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    envs = make_environments()
    rates = {name: steps_per_second(env, seconds) for name, env in envs.items()}
    rows = []
    for name, rate in rates.items():
        ratios = (f"{rate / rates[single]:.1f}" for single in (SYNC, DUMMY))
        rows.append((name, f"{envs[name].num_envs:,}", f"{rate:,.0f}", *ratios))
    headings = ("environment", "games", "steps/s", "x SyncVectorEnv", "x DummyVecEnv")
    print_table(Console(width=120), DataTable("steps/s, one core", headings, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
