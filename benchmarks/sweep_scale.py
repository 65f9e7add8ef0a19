"""Is a sweep's cost per trial level? Trials that only report: time per trial, memory of the driver.

python benchmarks/sweep_scale.py --trials 1000
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from io import StringIO
from pathlib import Path

import yaml
from rich.console import Console

from evaluation.ray_cluster import ray_cluster
from sweeps.progress import SweepProgress
from sweeps.running import start_sweep
from sweeps.sweep_file import load_sweep
from sweeps.tuning import run_trials

SPACE = {
    "ppo.learning_rate": {"loguniform": [1e-4, 1e-1]},
    "ppo.epochs": {"uniform": [1, 8]},
}


def resident_mib():
    """Return the memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def simulate(address, name, options, command, code, report):
    """Report five win rates, and leave what a run leaves that is read."""
    folder = Path(address) / "trials" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text("")
    for step in range(1, 6):
        report(step * 1000, 0.5 + options["ppo"]["learning_rate"])
    agents = {
        agent: {"win_rate": 0.5, "ci95": [0, 1], "games": 1} for agent in ("ppo", "posterior")
    }
    figures = {"agents": agents, "known": {"agents": agents}, "excluded": {"agents": agents}}
    (folder / "evaluation.json").write_text(json.dumps(figures))


class Meter(SweepProgress):
    """Prints the time and the memory as trials end."""

    def __init__(self, num_trials):
        super().__init__(Console(file=StringIO()), num_trials)
        self.every = max(num_trials // 10, 1)
        self.count = 0
        self.last = time.perf_counter()
        print(f"{'trials':>8} {'s per trial':>12} {'driver MiB':>11}")

    def ended(self, trial, folder):
        """Print a line now and then."""
        super().ended(trial, folder)
        self.count += 1
        if self.count % self.every == 0:
            now = time.perf_counter()
            seconds = (now - self.last) / self.every
            self.last = now
            print(f"{self.count:8,} {seconds:12.3f} {resident_mib():11,.0f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "simulated.yaml"
        described = {
            "name": "simulated",
            "base": "smoke.yaml",
            "space": SPACE,
            "set": {"threads": 1},
            "trials": options.trials,
            "storage": folder,
        }
        path.write_text(yaml.safe_dump(described))
        running = start_sweep(load_sweep(path))
        meter = Meter(options.trials)
        with ray_cluster("local", "--address", 2**27):
            run_trials(running.sweep, running.storage, meter, simulate)


if __name__ == "__main__":
    main()
