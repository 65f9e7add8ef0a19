"""Speed, fairness and safety of the game server.

    PYTHONPATH=. python benchmarks/server.py [--only NAME] [--db URL] [--run RUN_DIR]

Server and load run on the same machine, the server as a process of its own with its defaults.
Without options it is small and takes less than two minutes; --help says what docs/server.md has.

throughput   clients guess as fast as they are answered, alone and beside 60 that ask for a
             leaderboard of players with 500 games each
leaderboard  of ten times as many players with 50 games each, computed and cached
guests       how long another player waits while guests of one address do what they can
agent        an agent plays recorded games through ``evaluate.py --server``
fairness     what a client that counts over the public list wins on an operator's own words
start        from a fresh clone to the line that says that it serves, and from there to a hint
kills        the server is killed (SIGKILL) again and again while clients play on, and every guess
             that was answered is looked for in the database
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import requests
from english_words import get_english_words_set
from sqlalchemy import delete, func, insert, select

ROOT = Path(__file__).resolve().parents[1]
# As a script, this file would be taken for the package of the same name.
sys.path = [str(ROOT), *(path for path in sys.path if Path(path).name != "benchmarks")]

from agents import make_agent
from envs.words import clean_words, default_word_list
from evaluation.arena import play
from evaluation.remote.arena import play_on_server
from evaluation.remote.client import GameClient
from evaluation.statistics import win_rate_interval
from server import store
from server.database import open_engine
from tests.server.load import (
    ServerProcess,
    add_guests,
    add_token,
    check_nothing_lost,
    flooding,
    guess_for,
    play_beside,
    play_through_kills,
    serving,
)

REAL = """The figures of docs/server.md:
  --players 1000 --clients 64 --seconds 12 --only throughput
  --players 1000 --only leaderboard
  --guests 1000 --seconds 20 --agent ppo --only guests
  --games 1000 --agent ppo --only agent
  --games 3000 --only fairness
  --agent ppo --only start
  --clients 64 --kills 50 --only kills
"""
# What has no bound but that of the machine.
_UNBOUNDED = ("--set", "address_rate=1e9", "--set", "address_burst=1e9")


def measure_throughput(url: str, players: int, clients: int, seconds: float) -> None:
    """Print guesses per second, alone and while the leaderboard is asked for."""
    fill(url, players, games=500)
    with serving(url, "--agent", "none") as (server, address):
        token = add_token(url, "load")
        guess(address, token, clients, 2.0)
        print(f"{clients} clients: {guess(address, token, clients, seconds)}")
        server.stop()
    # With the defaults most would be refused; here each is answered.
    for options in ((), _UNBOUNDED):
        with serving(url, "--agent", "none", *options) as (server, address):
            guess(address, token, clients, 2.0)
            with flooding(address, ["leaderboard"] * 60, [None] * 60) as answers:
                load = guess(address, token, clients, seconds)
            print(f"  and 60 that ask for the leaderboard {' '.join(options)}: {load}")
            print(f"    their answers: {answers()}")
            server.stop()


def measure_leaderboard(url: str, players: int) -> None:
    """Print how long the leaderboard takes when it is computed and when it is not."""
    fill(url, players, games=50)
    with serving(url, "--agent", "none", *_UNBOUNDED) as (server, address):
        session = requests.Session()

        def ask() -> float:
            begun = time.perf_counter()
            answer = session.get(f"{address}/api/v1/leaderboard", timeout=60)
            assert answer.json()["total"] == players
            return time.perf_counter() - begun

        first = ask()
        cold, cached = [], []
        for _ in range(20 if players > 1_000 else 5):
            # It is kept for a second.
            time.sleep(1.1)
            cold.append(ask())
            cached += [ask() for _ in range(10)]
        server.stop()
    print(f"leaderboard of {players:,} players: first {1000 * first:.0f} ms")
    for name, times in (("computed", cold), ("cached", cached)):
        print(f"  {name}: p50 {1000 * np.median(times):.1f} ms, most {1000 * max(times):.1f} ms")


def measure_guests(url: str, agent: Sequence[str], guests: int, seconds: float) -> None:
    """Print how long another player waits while guests of one address do what they can."""
    tokens = add_guests(url, guests)
    with serving(url, *agent) as (server, address):
        token = add_token(url, "another")
        kinds = ["guesses", "hints", "agent games", "new games"]
        alone = asyncio.run(play_beside(address, token, min(5.0, seconds)))
        print("another player alone:", alone)
        with flooding(address, [kinds[i % 4] for i in range(guests)], tokens) as answers:
            time.sleep(min(3.0, seconds))
            print(f"beside {guests:,} guests:", asyncio.run(play_beside(address, token, seconds)))
        print(f"  the guests' answers: {answers()}")
        server.stop()


def measure_start(agent: Sequence[str]) -> None:
    """Print how long a fresh clone takes to serve, and then to give a hint."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        url = f"sqlite:///{folder}/start.sqlite3"
        for which in ("fresh clone", "second start"):
            begun = time.perf_counter()
            with serving(url, *agent, root=clone) as (server, address):
                took = time.perf_counter() - begun
                token = add_token(url, which)
                headers = {"Authorization": f"Bearer {token}"}
                hints = []
                for pattern in ("_____", "q___", "_" * 20, "z_zz_", "_"):
                    begun = time.perf_counter()
                    body = {"pattern": pattern}
                    hint = f"{address}/api/v1/hints"
                    answer = requests.post(hint, json=body, headers=headers, timeout=120)
                    assert answer.status_code == 200, answer.text
                    hints.append(f"{1000 * (time.perf_counter() - begun):.0f}")
                memory = ", ".join(f"{size:.0f}" for size in memory_of(server.process.pid))
                server.stop()
            print(
                f"{which}: serves after {took:.1f} s; hints after {', '.join(hints)} ms; "
                f"MiB of its processes: {memory}"
            )


def measure_fairness(url: str, games: int) -> None:
    """Print what a client wins that counts over the public list, on words of an operator's own."""
    public = default_word_list()
    known = set(public.words)
    others = clean_words(get_english_words_set(["gcide"], lower=True, alpha=True), "gcide").words
    own = [word for word in others if word not in known]
    client = make_agent("dictionary").fit(public.words)
    # All of them for thousands of games.
    sample = own[:: max(1, len(own) // (10 * games))]
    won = play(client, sample).won
    print(
        f"dictionary, fitted on {len(public):,} public words, plays {len(sample):,} of the "
        f"{len(own):,} words of a list that are not among them: won {won.mean():.1%}"
    )

    async def play_recorded(address: str, token: str) -> int:
        async with GameClient(address, token) as server:
            played = await play_on_server(client, server, games, recorded=True, at_once=32)
        return sum(game.status == "success" for game in played.games)

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as words:
        words.write("\n".join(own))
        words.flush()
        for name, options in (
            ("its own words", ["--recorded-words", words.name]),
            ("public words", []),
        ):
            bounds = ["--agent", "none", "--set", f"recorded_runs={games}"]
            with serving(url, *bounds, *options) as (server, address):
                wins = asyncio.run(play_recorded(address, add_token(url, name)))
                server.stop()
            low, high = win_rate_interval(wins, games)
            print(
                f"  recorded games with {name}: won {wins / games:.1%} of {games:,}, "
                f"95% interval {low:.1%} to {high:.1%}"
            )


def fill(url: str, players: int, games: int) -> None:
    """Store players with finished recorded games."""
    engine = open_engine(url)
    rng = np.random.default_rng(0)
    wins = rng.binomial(games, rng.uniform(0.1, 0.9, players)).tolist()
    words = default_word_list().words
    with engine.begin() as connection:
        rows = [
            {
                "name": f"player {number}",
                "token_hash": f"none {number}",
                "is_guest": False,
                "recorded_games": games,
                "recorded_wins": wins[number],
            }
            for number in range(players)
        ]
        connection.execute(insert(store.players), rows)
        first = connection.scalar(select(func.min(store.players.c.id)))
        for number in range(players):
            rows = [
                {
                    "id": f"{number:016x}{game:016x}",
                    "player_id": first + number,
                    "secret": words[(97 * number + 31 * game) % len(words)],
                    "recorded": True,
                    "max_wrong": 6,
                    "status": "success" if game < wins[number] else "failed",
                }
                for game in range(games)
            ]
            connection.execute(insert(store.games), rows)
    engine.dispose()


def guess(address: str, token: str, clients: int, seconds: float) -> str:
    """Let clients guess; return what they measured."""
    begun = time.perf_counter()
    load = asyncio.run(guess_for(address, token, clients, seconds))
    took = time.perf_counter() - begun
    milliseconds = 1000 * np.percentile(load.latencies, [50, 95, 99, 100])
    shown = "p50 {:.0f}, p95 {:.0f}, p99 {:.0f}, most {:.0f} ms".format(*milliseconds)
    rate = len(load.latencies) / took
    return f"{rate:,.0f} guesses per second in {took:.0f} s, {shown}, errors {dict(load.errors)}"


def memory_of(pid: int) -> list[float]:
    """Return the resident memory of a process and of its children, in MiB."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in (pid, *children)]
    return [each * os.sysconf("SC_PAGE_SIZE") / 2**20 for each in pages]


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
        f"({result['games_per_second']:.0f} games/s in play); won {result['win_rate']:.1%}, "
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
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog=REAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, default, explanation in (
        ("players", 100, "on the leaderboard, ten times as many for that of --only leaderboard"),
        ("clients", 16, "that guess"),
        ("seconds", 3.0, "of load"),
        ("games", 40, "recorded ones"),
        ("kills", 2, "of the server"),
        ("guests", 40, "of one address"),
    ):
        explanation = f"{explanation} (default: {default})"
        parser.add_argument(f"--{name}", type=type(default), default=default, help=explanation)
    parser.add_argument("--db", help="an empty database (default: a file of SQLite)")
    parser.add_argument("--run", help="of learned agents (default: the pretrained policy)")
    parser.add_argument(
        "--agent", default="dictionary", help="who gives hints and plays (default: dictionary)"
    )
    measurements = {
        "throughput": lambda url: measure_throughput(
            url, options.players, options.clients, options.seconds
        ),
        "leaderboard": lambda url: measure_leaderboard(url, 10 * options.players),
        "guests": lambda url: measure_guests(url, agent, options.guests, options.seconds),
        "agent": lambda url: measure_agent(url, options.run, options.agent, options.games),
        "fairness": lambda url: measure_fairness(url, options.games),
        "start": lambda url: measure_start(agent),
        "kills": lambda url: measure_kills(url, options.clients, options.kills),
    }
    parser.add_argument("--only", choices=measurements, help="one measurement instead of all")
    options = parser.parse_args()
    agent = ["--agent", options.agent, *(["--run", options.run] if options.run else [])]
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for name, measure in measurements.items():
        if options.only in (None, name):
            with database(options.db, name) as url:
                measure(url)


@contextmanager
def database(url: str | None, name: str) -> Iterator[str]:
    """Yield the URL of an empty database: a new file, or what was given, emptied."""
    if url is not None:
        engine = open_engine(url)
        with engine.begin() as connection:
            for table in reversed(store.metadata.sorted_tables):
                connection.execute(delete(table))
        engine.dispose()
        yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/{name}.sqlite3"


if __name__ == "__main__":
    main()
