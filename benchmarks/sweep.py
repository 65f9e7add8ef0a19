"""Duration of a sweep, compared with the same runs in sequence.

    python -m benchmarks.sweep --trials 8 [--words FILE]

Trials of ``sweep.py`` have one thread, run two at a time and share a posterior; runs of
``train.py`` have two threads and fit a posterior each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from hangman_lab.envs.words import default_word_list

ROOT = Path(__file__).resolve().parent.parent
# All words are used, unlike in smoke.yaml, since the lists are small.
_FRACTIONS = [0.9, 0.05, 0.05]


def timed(*command):
    """Run a command; return its duration in seconds."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *map(str, command)], stdout=subprocess.DEVNULL, cwd=ROOT, check=False
    )
    if done.returncode:
        sys.exit(f"failed: {command}")
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--words", help="default: every 200th word of the default list")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = options.words
        if words is None:
            words = Path(folder) / "words.txt"
            words.write_text("\n".join(default_word_list().words[::200]) + "\n")
        rates = [round(0.001 * 1.4**number, 6) for number in range(options.trials)]
        path = Path(folder) / "timed.yaml"
        described = {
            "name": "timed",
            "base": "smoke.yaml",
            "set": {"threads": 1, "split.fractions": _FRACTIONS},
            "storage": folder,
            "space": {"ppo.learning_rate": {"grid_search": rates}},
        }
        path.write_text(yaml.safe_dump(described))
        sweep = timed("sweep.py", path, "--words", words)
        arguments = ("--config", "smoke.yaml", "--words", words, "--run-dir", Path(folder) / "run")
        arguments += ("--set", f"split.fractions={_FRACTIONS}")
        options = [("--set", f"ppo.learning_rate={rate}") for rate in rates]
        runs = [timed("train.py", *arguments, *option) for option in options]
        each = f"{min(runs):.0f} to {max(runs):.0f}"
        print(f"sweep of {len(rates)} trials: {sweep:.0f} s, {sweep / len(rates):.1f} per trial")
        print(f"{len(runs)} runs of train.py: {sum(runs):.0f} s ({each})")
        print(f"the sweep is {sum(runs) / sweep:.2f} times as fast")


if __name__ == "__main__":
    main()
