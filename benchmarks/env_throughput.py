"""Steps per second of the batched environments and of wrappers of single ones.

    PYTHONPATH=. python benchmarks/env_throughput.py

All play the same words, every twentieth of the default list and its longest, with letters in random
order that are drawn before the clock runs. A step is one guess in one game, with observation, mask,
reward and the reset of games that end. One core; the best of three rounds.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from gymnasium.vector import SyncVectorEnv
from rich.console import Console
from stable_baselines3.common.vec_env import DummyVecEnv

from envs.hangman.env import HangmanEnv
from envs.hangman.sb3 import HangmanVecEnv
from envs.hangman.vector_env import HangmanVectorEnv
from envs.words import default_word_list
from evaluation.tables import DataTable, print_table

NUM_GAMES = 4096
# Single environments in a Python loop are slow; fewer of them take the same time a step.
NUM_SINGLE_GAMES = 64
ROUNDS = 3


@cache
def letters(num_games: int) -> np.ndarray:
    """Return 26 steps of letters for each game, each letter once; shape (26, num_games)."""
    random = np.random.default_rng(0)
    return random.permuted(np.tile(np.arange(26), (num_games, 1)), axis=1).T.copy()


def gymnasium_steps(env: HangmanVectorEnv | SyncVectorEnv, num_steps: int) -> int:
    """Take steps; return their number, counted over games."""
    actions = letters(env.num_envs)
    for step in range(num_steps):
        _, _, _, _, infos = env.step(actions[step % 26])
        assert "action_mask" in infos
    return num_steps * env.num_envs


def sb3_steps(env: HangmanVecEnv | DummyVecEnv, num_steps: int) -> int:
    """Take steps and ask for masks as sb3-contrib does; return the steps over games."""
    actions = letters(env.num_envs)
    for step in range(num_steps):
        env.step(actions[step % 26])
        np.stack(env.env_method("action_masks"))
    return num_steps * env.num_envs


def steps_per_second(take: Callable[[int], int], seconds: float) -> float:
    """Return the best rate of some rounds that take about ``seconds`` together."""
    take(2)
    start = time.perf_counter()
    take(4)
    num_steps = max(4, int(4 * seconds / ROUNDS / (time.perf_counter() - start)))
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        taken = take(num_steps)
        rates.append(taken / (time.perf_counter() - start))
    return max(rates)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0, help="a row of the table")
    seconds = parser.parse_args().seconds
    # As timeit does it: a full collection walks over all that was imported, which is not measured.
    gc.disable()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    listed = default_word_list().words
    # Each single environment keeps its own index of the words; a whole list would take minutes.
    words = [*listed[::20], max(listed, key=len)]
    batched = HangmanVectorEnv(NUM_GAMES, words=words)
    same_step = HangmanVectorEnv(NUM_GAMES, words=words, autoreset_mode="SameStep")
    adapter = HangmanVecEnv(NUM_GAMES, words=words)
    single = partial(HangmanEnv, words)
    sync = SyncVectorEnv([single] * NUM_SINGLE_GAMES)
    dummy = DummyVecEnv([single] * NUM_SINGLE_GAMES)
    for env in (batched, same_step, sync):
        env.reset(seed=0)
    for env in (adapter, dummy):
        env.seed(0)
        env.reset()
    rows = {
        "HangmanVectorEnv, next-step autoreset (default)": (gymnasium_steps, batched),
        "HangmanVectorEnv, same-step autoreset": (gymnasium_steps, same_step),
        "Gymnasium SyncVectorEnv of HangmanEnv": (gymnasium_steps, sync),
        "HangmanVecEnv (Stable-Baselines3)": (sb3_steps, adapter),
        "SB3 DummyVecEnv of HangmanEnv": (sb3_steps, dummy),
    }
    rates = {
        name: steps_per_second(partial(take, env), seconds) for name, (take, env) in rows.items()
    }
    sync_rate = rates["Gymnasium SyncVectorEnv of HangmanEnv"]
    dummy_rate = rates["SB3 DummyVecEnv of HangmanEnv"]
    title = f"steps/s, one core ({platform.processor() or platform.machine()})"
    headings = ("environment", "games", "steps/s", "x SyncVectorEnv", "x DummyVecEnv")
    cells = [
        (
            name,
            f"{env.num_envs:,}",
            f"{rates[name]:,.0f}",
            *(f"{rates[name] / rate:.1f}" for rate in (sync_rate, dummy_rate)),
        )
        for name, (_, env) in rows.items()
    ]
    print_table(Console(width=120), DataTable(title, headings, cells))


if __name__ == "__main__":
    main()
