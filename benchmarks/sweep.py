"""Speed of a sweep against its runs one after the other: ``sweep.py`` and ``train.py``.

    python benchmarks/sweep.py --trials 8 [--words FILE]

The trials have one thread and run two at a time, with one posterior; ``train.py`` has two threads
and fits each time. The overhead is what a trial takes over the time of its own run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from envs.words import default_word_list

ROOT = Path(__file__).resolve().parent.parent


def timed(*command):
    """Run a command; return its seconds."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *map(str, command)], stdout=subprocess.DEVNULL, cwd=ROOT, check=False
    )
    if done.returncode:
        sys.exit(f"it failed: {command}")
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
            "set": {"threads": 1},
            "storage": folder,
            "space": {"ppo.learning_rate": {"grid": rates}},
        }
        path.write_text(yaml.safe_dump(described))
        sweep = timed("sweep.py", path, "--words", words)
        arguments = ("--config", "smoke.yaml", "--words", words, "--run-dir", Path(folder) / "run")
        runs = [
            timed("train.py", *arguments, "--set", f"ppo.learning_rate={rate}") for rate in rates
        ]
        trials = json.loads((Path(folder) / "timed" / "results.json").read_text())["trials"]
        print(f"sweep of {len(trials)} trials: {sweep:.0f} s, {sweep / len(trials):.1f} per trial")
        print(
            f"{len(runs)} runs of train.py: {sum(runs):.0f} s ({min(runs):.0f} to {max(runs):.0f})"
        )
        print(f"the sweep is {sum(runs) / sweep:.2f} times as fast")


if __name__ == "__main__":
    main()
