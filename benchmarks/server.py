"""How fast the game server is, and whether it loses anything when it is killed.

    PYTHONPATH=. python benchmarks/server.py [--db URL] [--run RUN_DIR]

Server and load run on the same machine, the server as a process of its own with its defaults.
First 64 clients guess as fast as they are answered; then an agent plays recorded games through
``evaluate.py --server``; then the server is killed (SIGKILL) again and again while clients play
on, and every guess that was answered is looked for in the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
# As a script, this file would be taken for the package of the same name.
sys.path = [str(ROOT), *(path for path in sys.path if Path(path).name != "benchmarks")]

from envs.words import default_word_list  # noqa: E402
from server import store  # noqa: E402
from server.database import open_engine  # noqa: E402
from tests.server.load import (  # noqa: E402
    ServerProcess,
    add_token,
    check_nothing_lost,
    guess_for,
    play_through_kills,
    serving,
)


def measure_throughput(url: str, clients: int, seconds: float) -> None:
    """Print guesses a second, and how long one takes."""
    with serving(url, "--agent", "none") as (server, address):
        token = add_token(url, "load")
        asyncio.run(guess_for(address, token, clients, 2.0))
        begun = time.perf_counter()
        load = asyncio.run(guess_for(address, token, clients, seconds))
        took = time.perf_counter() - begun
        server.stop()
    milliseconds = 1000 * np.percentile(load.latencies, [50, 95, 99, 100])
    print(f"{clients} clients, {took:.0f} s: {len(load.latencies):,} guesses, {load.games:,} games")
    print(f"  {len(load.latencies) / took:,.0f} guesses a second; errors: {dict(load.errors)}")
    print("  ms a guess: p50 {:.0f}, p95 {:.0f}, p99 {:.0f}, most {:.0f}".format(*milliseconds))


def measure_agent(url: str, run: str | None, agent: str, games: int) -> None:
    """Print how long ``evaluate.py`` takes for recorded games, its start included."""
    with serving(url, "--agent", "none") as (server, address):
        token = add_token(url, agent)
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            command = [sys.executable, "evaluate.py", "--server", address, "--token", token]
            command += ["--recorded", "--agents", agent, "--games", str(games), "--at-once", "64"]
            command += ["--json", str(figures), *(["--run", run] if run is not None else [])]
            begun = time.perf_counter()
            subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
            took = time.perf_counter() - begun
            result = json.loads(figures.read_text())["agents"][agent]
        server.stop()
    print(
        f"{agent}: {result['games']:,} recorded games in {took:.0f} s with its start "
        f"({result['games_per_second']:.0f} games a second in play); won {result['win_rate']:.1%}, "
        "95% interval {:.1%} to {:.1%}".format(*result["ci95"])
    )


def measure_kills(url: str, clients: int, kills: int) -> None:
    """Print what was compared after kills under load."""
    rng = random.Random(0)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as words:
        # A part of the list, so that the server is back soon.
        words.write("\n".join(default_word_list().words[::20]))
        words.flush()
        server = ServerProcess(url, "--agent", "none", "--words", words.name)
        try:
            address = server.start()
            token = add_token(url, "kills")
            begun = time.perf_counter()
            witnesses = asyncio.run(
                play_through_kills(
                    server, address, token, clients, kills, lambda: rng.uniform(0.5, 2.5)
                )
            )
            took = time.perf_counter() - begun
        finally:
            server.close()
    counts = check_nothing_lost(url, witnesses)
    print(
        f"{kills} kills in {took:.0f} s with {clients} clients: {counts['answered guesses']:,} "
        f"answered guesses in {len(witnesses):,} games, none lost, none counted twice"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", help="an empty database (default: a file of SQLite)")
    parser.add_argument("--run", help="of --agent ppo (default: the pretrained policy)")
    parser.add_argument("--agent", default="ppo", help="who plays recorded games (default: ppo)")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument(
        "--only", choices=["throughput", "agent", "kills"], help="one measurement instead of three"
    )
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    if options.only in (None, "throughput"):
        with database(options.db, "throughput") as url:
            measure_throughput(url, options.clients, options.seconds)
    if options.only in (None, "agent"):
        with database(options.db, "agent") as url:
            measure_agent(url, options.run, options.agent, options.games)
    if options.only in (None, "kills"):
        with database(options.db, "kills") as url:
            measure_kills(url, options.clients, options.kills)


@contextmanager
def database(url: str | None, name: str) -> Iterator[str]:
    """Yield the URL of an empty database: a new file, or what was given, emptied."""
    if url is not None:
        engine = open_engine(url)
        store.metadata.drop_all(engine)
        engine.dispose()
        yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/{name}.sqlite3"


if __name__ == "__main__":
    main()
