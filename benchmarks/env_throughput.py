"""Steps per second of the environments, beside programs for the same purpose.

    python -m benchmarks.env_throughput [--seconds 2]

Each environment is timed in turn with the program beside it, in processor time on one core; ratios
and rates are medians over nine rounds. All play the default list. A step is a guess in one game,
with observation, mask, reward and the reset of finished games, which takes a step of Gymnasium's
batches. Letters are in a random order that is drawn beforehand.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from stable_baselines3.common.vec_env import DummyVecEnv

from hangman_lab.envs import HangmanEnv, HangmanVecEnv, HangmanVectorEnv, TextHangman
from hangman_lab.envs.words import default_word_list
from hangman_lab.terminal.arguments import CommandParser, command_main, real
from hangman_lab.terminal.tables import DataTable, print_table

ROUNDS = 9
SIZES = (64, 1024, 16384)
Steps = Callable[[int], object]


class _PlainHangman:
    """Hangman as a beginner writes it: words in a list, no check of anything."""

    def __init__(self) -> None:
        self.words = list(default_word_list().words)
        self.width = max(map(len, self.words))
        self.random = random.Random(0)

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self.secret = self.random.choice(self.words)
        self.word = np.zeros(self.width, dtype=np.int16)
        self.word[: len(self.secret)] = 1
        self.guessed = np.zeros(26, dtype=np.int8)
        self.lives = 6
        return self.observe()

    def observe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        state = {"word": self.word.copy(), "guessed": self.guessed.copy(), "lives": self.lives}
        return state, {"action_mask": 1 - self.guessed}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        letter = chr(97 + action)
        if self.guessed[action] or letter not in self.secret:
            self.lives -= 1
        self.guessed[action] = 1
        for place, other in enumerate(self.secret):
            if other == letter:
                self.word[place] = action + 2
        won = 1 not in self.word
        reward = 1.0 if won else -1.0 if self.lives == 0 else 0.0
        observation, info = self.observe()
        return observation, reward, won or self.lives == 0, False, info


def single(env: Any, form: str = "") -> Steps:
    """Return what takes steps in a single environment; ``form`` is that of a letter in text."""
    env.reset()
    letters = np.random.default_rng(0).integers(26, size=4096).tolist()
    actions = [form.format(chr(97 + letter)) if form else letter for letter in letters]

    def take(steps: int) -> None:
        for step in range(steps):
            if env.step(actions[step % 4096])[2]:
                env.reset()

    return take


def text_arena() -> Steps | None:
    """Return what takes steps in the Hangman of TextArena; None if it is not installed."""
    try:
        from textarena.envs.Hangman import env as hangman
    except ImportError:
        return None
    # Its own words are a download.
    hangman.words.words = lambda name: list(default_word_list().words)
    env = hangman.HangmanEnv()

    class Turns:
        """Gymnasium's turns of a game."""

        def reset(self) -> None:
            env.reset(num_players=1)
            env.get_observation()

        def step(self, action: str) -> tuple[Any, ...]:
            has_ended = env.step(action)[0]
            return (None if has_ended else env.get_observation()), 0.0, has_ended

    return single(Turns(), "[{}]")


def batch(env: Any, num_actions: int = 26, is_masked: bool = False) -> Steps:
    """Return what takes steps in the games of a batch, with masks of sb3-contrib."""
    env.reset()
    rows = np.tile(np.arange(num_actions), (env.num_envs, 1))
    actions = np.random.default_rng(0).permuted(rows, axis=1).T.copy()

    def take(steps: int) -> None:
        for step in range(max(1, steps // env.num_envs)):
            env.step(actions[step % num_actions])
            if is_masked:
                np.stack(env.env_method("action_masks"))

    return take


def cart_pole(num_envs: int) -> Steps:
    """Return what takes steps in Gymnasium's batch of CartPole in NumPy."""
    return batch(gym.make_vec("CartPole-v1", num_envs, vectorization_mode="vector_entry_point"), 2)


def rows() -> list[tuple[str, Steps, str, Steps]]:
    """Return the environments, each with the program beside it."""
    others = text_arena()
    arena = "TextArena's Hangman" if others else "HangmanEnv (TextArena is not installed)"
    evil, masked = HangmanVectorEnv(1024, host="evil"), HangmanVecEnv(1024)
    return [
        ("HangmanEnv", single(HangmanEnv()), "plain Python, unchecked", single(_PlainHangman())),
        ("TextHangman", single(TextHangman(), "[{}]"), arena, others or single(HangmanEnv())),
        *(
            (f"{size:,} games", batch(HangmanVectorEnv(size)), "CartPole in NumPy", cart_pole(size))
            for size in SIZES
        ),
        ("1,024 games, evil host", batch(evil), "random host", batch(HangmanVectorEnv(1024))),
        (
            "HangmanVecEnv, 1,024 games, with masks",
            batch(masked, is_masked=True),
            "DummyVecEnv of 64 single environments",
            batch(DummyVecEnv([HangmanEnv] * 64), is_masked=True),
        ),
    ]


def seconds_of(take: Steps, steps: int) -> float:
    """Return the processor time of steps."""
    start = time.process_time()
    take(steps)
    return time.process_time() - start


def compare(ours: Steps, theirs: Steps, seconds: float) -> tuple[float, float, float]:
    """Return steps per second of both, and the ratio, as medians over alternated rounds."""
    # A power of two, so that batches take whole steps.
    steps = 2**14
    while seconds_of(ours, steps) < seconds / (2 * ROUNDS):
        steps *= 2
    times = np.array([(seconds_of(ours, steps), seconds_of(theirs, steps)) for _ in range(ROUNDS)])
    rates = steps / np.median(times, axis=0)
    return rates[0], rates[1], float(np.median(times[:, 1] / times[:, 0]))


@command_main("env_throughput")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    seconds = partial(real, low=0.01, high=3600)
    parser.add_argument("--seconds", type=seconds, default=2.0, help="per environment")
    options = parser.parse_args(arguments)
    # As in timeit: garbage collection is not measured.
    gc.disable()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = []
    for name, ours, other, theirs in rows():
        rate, other_rate, ratio = compare(ours, theirs, options.seconds)
        table.append((name, f"{rate:,.0f}", other, f"{other_rate:,.0f}", f"{ratio:.2f}"))
    headings = ("environment", "steps/s", "beside", "steps/s", "ratio")
    print_table(Console(width=120), DataTable("steps per second, one core", headings, table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
