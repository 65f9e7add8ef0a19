"""Steps per second of TextHangman, beside TextArena's Hangman where that is installed.

    pip install textarena
    python -m benchmarks.text_throughput [--steps 20000]

The games are timed by turns, in processor time; rates and the ratio are medians over nine rounds.
All play the same 850 words with letters in the same order. A step is a reply and the text that
follows it, with the resets of finished games.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial

from hangman_lab.envs import TextHangman
from hangman_lab.envs.words import default_word_list

ROUNDS = 9
WORDS = default_word_list().words[::275][:850]  # as many as TextArena has
REPLIES = [f"[{letter}]" for letter in "etaoinshrdlucmfwypvbgkqjxz"]


def play_ours(env, steps):
    """Take steps in a TextHangman."""
    while steps > 0:
        env.reset()
        for reply in REPLIES:
            steps -= 1
            if env.step(reply)[2]:
                break


def play_text_arena(make, steps):
    """Take steps in an environment of TextArena."""
    while steps > 0:
        env = make()
        env.reset(num_players=1)
        env.get_observation()
        for reply in REPLIES:
            steps -= 1
            if env.step(reply)[0]:
                break
            env.get_observation()


def main():
    """Time the games, and print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    steps = parser.parse_args().steps
    games = {"TextHangman": (play_ours, TextHangman(WORDS))}
    try:
        import textarena
        from textarena.envs.Hangman import env as hangman
    except ImportError:
        print("TextArena is not installed.")
    else:
        # Its words are a download of NLTK.
        hangman.words.words = lambda name: list(WORDS)
        alone = hangman.HangmanEnv()
        games["TextArena's Hangman"] = (play_text_arena, lambda: alone)
        # What writes the text of all observations keeps those of earlier games: made for each.
        make = partial(textarena.make, "Hangman-v0")
        games["TextArena's Hangman-v0"] = (play_text_arena, make)
    seconds = {name: [] for name in games}
    for _ in range(ROUNDS):
        for name, (play, env) in games.items():
            start = time.process_time()
            play(env, steps)
            seconds[name].append(time.process_time() - start)
    for name, times in seconds.items():
        pairs = zip(seconds["TextHangman"], times, strict=True)
        ratio = statistics.median(theirs / ours for ours, theirs in pairs)
        rate = steps / statistics.median(times)
        print(f"{name}: {rate:,.0f} steps/s, TextHangman {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
