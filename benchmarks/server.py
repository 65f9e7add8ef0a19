"""Speed of the game server.

    python -m benchmarks.server [--clients 64] [--guests 1000] [--seconds 12]

The load runs on the same machine as the server, which is a separate process with its defaults.

throughput   clients guess as fast as they are answered, alone and with 60 clients of another
             address that request the leaderboard
guests       response times of a player while the guests of another address guess, start games, and
             request hints and games of the agent, as fast as they are answered
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import multiprocessing
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import numpy as np

from tests.server.load import LETTERS, add_token, serving

KINDS = ("guesses", "hints", "agent games", "new games")


async def ask(
    session: aiohttp.ClientSession, statuses: Counter, method: str, path: str, body: object = None
) -> dict:
    """Return the answer to a request, or an empty dict; count its status."""
    try:
        async with session.request(method, f"/api/v1/{path}", json=body) as response:
            statuses[str(response.status)] += 1
            return await response.json()
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        statuses[type(error).__name__] += 1
        return {}


async def guess_on(
    session: aiohttp.ClientSession, statuses: Counter, times: list[float], end: float, pause: float
) -> None:
    """Play practice games; add the seconds of each guess."""
    while time.perf_counter() < end:
        game = await ask(session, statuses, "POST", "games", {})
        for letter in LETTERS:
            begun = time.perf_counter()
            path = f"games/{game.get('game_id')}/guesses"
            answer = await ask(session, statuses, "POST", path, {"letter": letter})
            times.append(time.perf_counter() - begun)
            await asyncio.sleep(pause)
            if answer.get("status") != "ongoing" or time.perf_counter() >= end:
                break


async def measure(address: str, token: str, clients: int, seconds: float, pause: float) -> str:
    """Let clients guess, with a pause between guesses; return what they measured."""
    statuses, times = Counter(), []
    headers = {"Authorization": f"Bearer {token}"}
    end = time.perf_counter() + seconds
    async with aiohttp.ClientSession(address, headers=headers) as session:
        await asyncio.gather(
            *(guess_on(session, statuses, times, end, pause) for _ in range(clients))
        )
    shown = "p50 {:.0f}, p99 {:.0f}, most {:.0f} ms".format(
        *(1000 * np.percentile(times, [50, 99, 100]))
    )
    return f"{len(times) / seconds:,.0f} guesses per second, {shown}, answers {dict(statuses)}"


@contextmanager
def beside(who: str, make_clients: Callable, *arguments: object) -> Iterator[None]:
    """Run the coroutines of ``make_clients(statuses, *arguments)`` in a process of their own."""
    context = multiprocessing.get_context("spawn")
    begun, ending = context.Event(), context.Event()
    process = context.Process(target=_run, args=(begun, ending, who, make_clients, *arguments))
    process.start()
    begun.wait()
    try:
        yield
    finally:
        ending.set()
        process.join()


def _run(
    begun: object, ending: object, who: str, make_clients: Callable, *arguments: object
) -> None:
    statuses = Counter()

    async def run() -> None:
        tasks = [asyncio.create_task(client) for client in make_clients(statuses, *arguments)]
        begun.set()
        await asyncio.to_thread(ending.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    if statuses:
        print(f"    answers to the {who}: {dict(sorted(statuses.items()))}", flush=True)


def flood(
    statuses: Counter, address: str, kinds: Sequence[str], tokens: Sequence[str]
) -> list[Coroutine]:
    """Return clients of another address that ask as fast as they are answered."""

    async def go_on(kind: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connector = aiohttp.TCPConnector(local_addr=("127.0.0.2", 0))
        timeout = aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(
            address, headers=headers, connector=connector, timeout=timeout
        ) as session:
            if kind == "guesses":
                await guess_on(session, statuses, [], float("inf"), 0.0)
            method, path, body = {
                "leaderboard": ("GET", "leaderboard", None),
                "hints": ("POST", "hints", {"pattern": "_" * 12}),
                "agent games": ("POST", "agent-games", {"word": "abcdefghijklmnopqrstuvwxyz"}),
                "new games": ("POST", "games", {}),
            }[kind]
            while True:
                await ask(session, statuses, method, path, body)

    return [go_on(*each) for each in zip(kinds, tokens, strict=True)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("clients", 16), ("guests", 40), ("seconds", 3.0)):
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--agent", default="dictionary", help="who gives hints to the guests")
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite3"
        token = ""

        def run(address: str, what: str, clients: int, pause: float = 0.0) -> None:
            load = asyncio.run(measure(address, token, clients, options.seconds, pause))
            print(f"{what}: {load}", flush=True)

        # The clients are one address, whose rate is not measured here.
        with serving(path, "--agent", "none", "--address-rate=1e9") as (server, address):
            token = add_token(path, "load")
            run(address, f"{options.clients} clients", options.clients)
            with beside("60 clients", flood, address, ["leaderboard"] * 60, [""] * 60):
                run(address, "  beside 60 that ask for the leaderboard", options.clients)
            server.stop()
        with serving(path, "--agent", options.agent) as (server, address):
            run(address, "another player alone", 1, 0.1)
            tokens = [add_token(path, None) for _ in range(options.guests)]
            kinds = list(itertools.islice(itertools.cycle(KINDS), options.guests))
            with beside(f"{options.guests:,} clients", flood, address, kinds, tokens):
                run(address, f"  beside {options.guests:,} guests of one address", 1, 0.1)
            server.stop()


if __name__ == "__main__":
    main()
