"""Do workers play the same games, how fast, in how much memory? ``evaluate.py --workers``.

    python benchmarks/workers.py [--words 200000] [--agents ppo] [--once]

The words are made of the n-grams of the default list. The command runs in a process of its own,
alone with its two threads and with ``--workers local``; ``--once`` leaves the first out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from envs.words import default_word_list

ROOT = Path(__file__).resolve().parent.parent
_ORDER = 5


def made_words(count, seed=0):
    """Draw distinct strings of 4 to 20 letters, letter by letter as the listed words go on."""
    random = np.random.default_rng(seed)
    following = {}
    for word in default_word_list().words:
        text = "^" * (_ORDER - 1) + word + "$"
        for place in range(_ORDER - 1, len(text)):
            following.setdefault(text[place - _ORDER + 1 : place], []).append(text[place])
    words = set()
    while len(words) < count:
        text = "^" * (_ORDER - 1)
        draws = iter(random.random(24))
        for draw in draws:
            letters = following[text[-_ORDER + 1 :]]
            letter = letters[int(draw * len(letters))]
            if letter == "$":
                break
            text += letter
        word = text[_ORDER - 1 :]
        if 4 <= len(word) <= 20:
            words.add(word)
    return sorted(words)


def own_memory(pid):
    """Return the MiB of a process that it shares with no other: not Ray's store of objects."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    own = status.partition("RssAnon:")[2]
    return int(own.split()[0]) / 2**10 if own else 0


class Memory(threading.Thread):
    """Follows the own memory of the command and of the workers of Ray, every half a second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.peaks = {"command": 0, "worker": 0}
        self.start()

    def run(self):
        """Look again and again, as long as the process lives."""
        while True:
            listed = subprocess.run(
                ["ps", "-eo", "pid,args"], capture_output=True, text=True
            ).stdout
            for line in listed.splitlines()[1:]:
                pid, args = line.split(maxsplit=1)
                kind = "command" if int(pid) == self.pid else None
                if args.startswith("ray::_play_batch"):
                    kind = "worker"
                if kind:
                    self.peaks[kind] = max(self.peaks[kind], own_memory(pid))
            time.sleep(0.5)


def evaluate(secrets, agents, folder, *more):
    """Run the command; return its figures and the peaks of its memory."""
    figures = Path(folder) / "figures.json"
    command = [sys.executable, "evaluate.py", "--secrets", secrets, "--json", figures]
    command += ["--agents", *agents, *more]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    memory = Memory(process.pid)
    if process.wait():
        sys.exit(f"it failed with status {process.returncode}")
    return json.loads(figures.read_text()), memory.peaks


def without_times(value):
    """Return figures without those of time."""
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if key != "games_per_second"}
    return value


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--agents", nargs="+", default=["ppo"])
    parser.add_argument("--once", action="store_true", help="only with workers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        secrets = Path(folder) / "made.txt"
        secrets.write_text("\n".join(made_words(options.words)) + "\n")
        results = {}
        for name, more in (("2 threads", ()), ("--workers local", ("--workers", "local"))):
            if options.once and not more:
                continue
            figures, peaks = evaluate(secrets, options.agents, folder, *more)
            results[name] = figures
            speeds = ", ".join(
                f"{agent} {of['games_per_second']:,.0f} games/s, wins {of['wins']:,}"
                for agent, of in figures["agents"].items()
            )
            worker = f", worker {peaks['worker']:,.0f} MiB" if more else ""
            print(f"{name:16} {speeds}; peak: command {peaks['command']:,.0f} MiB{worker}")
    if len(results) == 2:
        alone, workers = results.values()
        print(f"figures but for times alike: {without_times(alone) == without_times(workers)}")
        for agent, of in workers["agents"].items():
            ratio = of["games_per_second"] / alone["agents"][agent]["games_per_second"]
            print(f"{agent}: workers {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
