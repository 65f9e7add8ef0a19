"""Speed and size of a trained policy.

    PYTHONPATH=. python benchmarks/policy.py --run RUN_DIR --games 20000

Plays words of the run's list (by default the pretrained policy's), half of them known to the run,
with the default prior: this measures time and memory, no win rate. All threads that Numba and torch
take by themselves.
"""

from __future__ import annotations

import argparse
import resource
import time

import numba
import numpy as np
import torch
from rich.console import Console

from envs.words import hash_words, load_word_list
from evaluation.arena import play
from evaluation.tables import DataTable, print_table
from runs.agents import find_run, load_run_agent
from runs.words import draw_words


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RUN_DIR", help="default: the pretrained policy")
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="default: 2000")
    options = parser.parse_args()
    run = find_run(options.run, ("ppo",))
    listed = load_word_list(run.load_config().words).words
    is_known = np.isin(hash_words(listed), run.load_fitted_words())
    words = []
    for kind in (is_known, ~is_known):
        words += draw_words(np.array(listed)[kind].tolist(), options.games // 2, 0)

    rows = []
    files = {"posterior": [run.posterior], "ppo": [run.posterior, run.policy]}
    for name, paths in files.items():
        start = time.perf_counter()
        agent = load_run_agent(name, run, ())
        loaded = time.perf_counter() - start
        # Compiled before the clock runs.
        play(agent, words[:100])
        played = play(agent, words)
        size = sum(path.stat().st_size for path in paths)
        rows.append(
            (
                name,
                f"{loaded:.1f}",
                f"{played.seconds:.1f}",
                f"{len(words) / played.seconds:,.0f}",
                f"{size / 1e6:.1f}",
                f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f}",
            )
        )
    threads = f"numba {numba.get_num_threads()} and torch {torch.get_num_threads()} threads"
    headings = ("agent", "load, s", "play, s", "games/s", "files, MB", "peak memory so far, MiB")
    print_table(Console(width=120), DataTable(f"{len(words):,} games; {threads}", headings, rows))


if __name__ == "__main__":
    main()
