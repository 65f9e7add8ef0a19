"""Latency of the game server for a player, during attacks.

    python -m benchmarks.attacks [--seconds 8] [--attacks NAME ...]

Server and attackers run on the same machine, the server as a process with its defaults, the
attackers with lower priority and from addresses of their own. Its database has 50,000 guests, as
many as are kept, who have played the word of the day, and 2,000 players on the leaderboard. Another
player starts games, guesses and reads a game ten times a second, each time on a new connection.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import urllib3

from hangman_lab.server import games
from hangman_lab.server.database import open_database
from hangman_lab.terminal.arguments import CommandParser, command_main, real
from tests.server.load import LETTERS, serving

GUEST = b"POST /api/v1/guests HTTP/1.1\r\nHost: server\r\n"
GAME = b"POST /api/v1/games HTTP/1.1\r\nHost: server\r\nContent-Type: application/json\r\n"
SMALL = b"GET /api/v1/server HTTP/1.1\r\nHost: server\r\n\r\n"
# The timeout of the other player, in seconds.
TIMEOUT = 10.0


class Attack(NamedTuple):
    """Bytes that a connection sends at once, then one by one or without a pause, if any."""

    connections: int
    sends: bytes
    then: bytes = b""
    pause: float = 0.0
    addresses: int = 1


ATTACKS = {
    "alone": Attack(0, b""),
    "idle": Attack(2_000, b"", addresses=5),
    "slow head": Attack(2_000, b"GET / HTTP/1.1\r\n", b"a: b\r\n", pause=1.0, addresses=5),
    "endless chunks, no body expected": Attack(
        1, GUEST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nA\r\n"
    ),
    "slow body": Attack(
        2_000, GAME + b"Content-Length: 9000\r\n\r\n", b"A", pause=1.0, addresses=5
    ),
    "endless chunks": Attack(1, GAME + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nA\r\n"),
    "large heads": Attack(100, b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 15_000 + b"\r\n"),
    "pipelining": Attack(100, b"", SMALL * 100),
    "not HTTP": Attack(100, b"\x16\x03\x01" * 100),
    "too many requests": Attack(800, b"", SMALL, addresses=5),
    "unknown paths": Attack(100, b"", b"GET /nothing HTTP/1.1\r\nHost: server\r\n\r\n"),
    "guests": Attack(100, b"", GUEST + b"Content-Length: 0\r\n\r\n"),
    "guests, 20 addresses": Attack(100, b"", GUEST + b"Content-Length: 0\r\n\r\n", addresses=20),
    "results of the day": Attack(400, b"", b"GET /api/v1/daily HTTP/1.1\r\nHost: server\r\n\r\n"),
    "leaderboard": Attack(
        400, b"", b"GET /api/v1/leaderboard HTTP/1.1\r\nHost: server\r\n\r\n", addresses=20
    ),
}
NUM_GUESTS, NUM_PLAYERS = 50_000, 2_000
FILL = f"""
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT {NUM_GUESTS})
INSERT INTO players (token_hash, seen) SELECT 'guest ' || n, 0 FROM numbers;
INSERT INTO games
    (id, player_id, secret, max_wrong, recorded, withheld, request_key, guesses, status)
SELECT
    'game ' || id, id, 'noon', 6, 0, 0, 'day {games.today()}', substr('xyzno', id % 4), 'success'
FROM players;
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT {NUM_PLAYERS})
INSERT INTO players (name, token_hash, seen, recorded_games, recorded_wins)
SELECT 'player ' || n, 'player ' || n, 0, 1000, n % 1000 FROM numbers;
"""


async def attack_by_one(attack: Attack, server: tuple[str, int], address: str) -> None:
    """Attack on one connection from an address; it is opened again whenever it ends."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(*server, local_addr=(address, 0))
        except OSError:
            await asyncio.sleep(0.1)
            continue
        reading = asyncio.create_task(read_all(reader))
        try:
            writer.write(attack.sends)
            await writer.drain()
            while attack.then and not reading.done():
                writer.write(attack.then)
                await writer.drain()
                await asyncio.sleep(attack.pause)
            await reading
        except OSError:
            pass
        finally:
            reading.cancel()
            writer.transport.abort()


async def read_all(reader: asyncio.StreamReader) -> None:
    """Read until the server ends the connection."""
    while await reader.read(65_536):
        pass


async def attack_by_all(attack: Attack, server: tuple[str, int]) -> None:
    """Attack on all connections, at low priority."""
    os.nice(10)
    addresses = [f"127.0.0.{2 + number % attack.addresses}" for number in range(attack.connections)]
    await asyncio.gather(*(attack_by_one(attack, server, address) for address in addresses))


def run_attackers(attack: Attack, server: tuple[str, int]) -> None:
    """Attack until the process is ended."""
    asyncio.run(attack_by_all(attack, server))


@contextmanager
def attacked(attack: Attack, server: tuple[str, int]) -> Iterator[None]:
    """Attack a server meanwhile."""
    process = multiprocessing.get_context("spawn").Process(
        target=run_attackers, args=(attack, server), daemon=True
    )
    process.start()
    time.sleep(2.0)
    try:
        yield
    finally:
        process.kill()
        process.join()


def ask(server: tuple[str, int], path: str, body: dict | None, token: str = "") -> dict:
    """Return the answer to a request on a new connection: GET without a body, else POST."""
    host, port = server
    answer = urllib3.request(
        "GET" if body is None else "POST",
        f"http://{host}:{port}/api/v1/{path}",
        json=body,
        headers={"Authorization": f"Bearer {token}", "Connection": "close"},
        timeout=TIMEOUT,
        retries=False,
    )
    if answer.status not in (200, 201):
        raise urllib3.exceptions.HTTPError(f"{answer.status} {answer.data.decode()}")
    return answer.json()


def play(server: tuple[str, int], token: str, seconds: float) -> tuple[list[float], list[str]]:
    """Write and read ten times a second; return the seconds of both, and the errors."""
    times, errors, letters, game = [], [], iter(""), {}
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        letter = next(letters, None)
        try:
            if letter is None or game.get("status") != "ongoing":
                game, letters = ask(server, "games", {}, token), iter(LETTERS)
            else:
                game = ask(server, f"games/{game['game_id']}/guesses", {"letter": letter}, token)
            ask(server, f"games/{game['game_id']}", None, token)
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            errors.append(str(error) or type(error).__name__)
        times.append(time.perf_counter() - begun)
        time.sleep(max(0.0, begun + 0.1 - time.perf_counter()))
    return times, errors


def memory(pid: int) -> str:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return f"memory {int(status.partition('VmRSS:')[2].split()[0]) / 1e3:,.0f} MB"


@contextmanager
def started() -> Iterator[tuple[tuple[str, int], int]]:
    """Start a server; yield its address and its process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite3"
        with closing(open_database(str(path))) as connection:
            connection.executescript(FILL)
        with serving(path, "--agent", "none") as (server, _):
            yield ("127.0.0.1", server.port), server.process.pid


@command_main("attacks")
def main(arguments: Sequence[str] | None = None) -> int:
    """Attack and print."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--seconds", type=partial(real, low=0.01, high=3600), default=8.0, help="of each attack"
    )
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    options = parser.parse_args(arguments)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with started() as (server, pid):
        token = ask(server, "guests", {})["token"]
        for name in options.attacks:
            with attacked(ATTACKS[name], server):
                times, errors = play(server, token, options.seconds)
            p50, p99 = 1_000 * np.percentile(times, [50, 99])
            print(
                f"{name}: {len(times)} turns, {len(errors)} errors, p50 {p50:,.0f} ms, "
                f"p99 {p99:,.0f} ms, {memory(pid)}",
                *sorted(set(errors))[:3],
                sep="\n    ",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
