"""What another player notices of attacks on the game server.

    python -m benchmarks.attacks [--seconds 2] [--guests 300] [--week 0]

Server and attackers run on the same machine, the server as a process of its own with its defaults.
Another player guesses ten times a second meanwhile.

methods      a connection sends methods of 16,000 letters, each another one
unread       510 connections of three addresses ask for a large file and do not read it
household    guests of 256 IPv6 networks of 64 bits, which are one of 56, as fast as they are made
guests       the server has far too many guests, of 20 games each, and forgets them
routes       150 connections of one address ask as fast as they are answered
week         this many guests, made over a simulated week: the time of each write, and storage
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import platform
import secrets
import socket
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks.server import beside, measure
from hangman_lab.envs.hangman.game import Game
from hangman_lab.server import store
from hangman_lab.server.database import Database, open_database
from hangman_lab.server.players import prune
from hangman_lab.server.settings import Settings
from hangman_lab.server.store import PlayerGame
from tests.server.load import ServerProcess, add_token, serving

LARGE = "/assets/swagger-ui-bundle.js"
ROUTES = {
    "server": "/api/v1/server",
    "openapi.json": "/api/v1/openapi.json",
    "401": "/api/v1/player",
    "404": "/nothing",
    "large file": LARGE,
    "a valid token": "/trexsim/hangman/my_status?access_token={token}",
}
WEEK = 7 * 86_400.0
GAMES_OF_A_GUEST = 20


class Attacker:
    """A connection that asks as fast as it is answered, and is opened again when it is closed."""

    def __init__(self, port: int, source: str, statuses: Counter) -> None:
        self.port = port
        self.source = source
        self.statuses = statuses
        self.streams = None

    async def ask(self, method: str, path: str, headers: str = "", read: bool = True) -> None:
        """Send a request, and read its answer or nothing; count its status."""
        try:
            if self.streams is None:
                self.streams = await asyncio.open_connection(sock=await self._connect(read))
            reader, writer = self.streams
            writer.write(f"{method} {path} HTTP/1.1\r\nHost: server\r\n{headers}\r\n".encode())
            if not read:
                # It ends when the server closes the connection.
                await writer.wait_closed()
                raise ConnectionResetError
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            self.statuses[head.split()[1].decode()] += 1
            await reader.readexactly(int(head.partition(b"content-length: ")[2].split()[0]))
            if b"connection: close" in head:
                raise ConnectionResetError
        except (OSError, asyncio.IncompleteReadError):
            if self.streams is not None:
                self.streams[1].transport.abort()
            self.streams = None
            await asyncio.sleep(0.5)

    async def _connect(self, read: bool) -> socket.socket:
        connection = socket.socket()
        connection.setblocking(False)
        if not read:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        connection.bind((self.source, 0))
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self.port))
        return connection


async def attack(name: str, attacker: Attacker, number: int, path: str) -> None:
    """Attack until it is cancelled."""
    for count in itertools.count():
        if name == "methods":
            await attacker.ask(f"M{count}".ljust(16_000, "A"), "/healthz")
        elif name == "unread":
            await attacker.ask("GET", LARGE, read=False)
        elif name == "household":
            network = f"2001:db8:0:{(number + count) % 256:x}::1"
            headers = f"X-Forwarded-For: {network}\r\nContent-Length: 0\r\n"
            await attacker.ask("POST", "/api/v1/guests", headers)
        else:
            await attacker.ask("GET", path)


def attackers(statuses: Counter, name: str, count: int, port: int, path: str) -> list[Coroutine]:
    """Return attackers, of three addresses if they do not read their answers."""
    sources = [f"127.0.0.{2 + (number % 3 if name == 'unread' else 0)}" for number in range(count)]
    return [
        attack(name, Attacker(port, source, statuses), number, path)
        for number, source in enumerate(sources)
    ]


def memory(server: ServerProcess) -> float:
    """Return the resident memory of a server in MB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1e3


def watch(what: str, server: ServerProcess, address: str, token: str, seconds: float) -> None:
    """Print what another player notices, and the memory of the server before and after."""
    before = memory(server)
    noticed = asyncio.run(measure(address, token, 1, seconds, 0.1))
    print(f"{what}: {noticed}, memory {before:,.0f} to {memory(server):,.0f} MB", flush=True)


def fill(path: Path, guests: int) -> None:
    """Store guests with games."""
    with closing(open_database(str(path))) as connection, connection:
        connection.execute("BEGIN")
        for number in range(guests):
            _add_guest(connection, str(number), GAMES_OF_A_GUEST)


def _add_guest(connection: sqlite3.Connection, token_hash: str, games: int) -> None:
    guest = store.add_player(connection, None, token_hash)
    for _ in range(games):
        hangman = Game("mississippi", 6)
        game = PlayerGame(secrets.token_hex(16), guest, hangman)
        store.add_game(connection, game, None)
        for letter in range(6):
            hangman.guess(letter)
            game.keys.append(None)
            store.add_guess(connection, game)


async def simulate_week(path: Path, guests: int) -> None:
    """Make guests of a game each over a simulated week, and prune meanwhile."""
    now, times = time.time(), []
    store.time = lambda: now
    settings = Settings(db=str(path))
    database = Database(str(path))

    async def add(number: int) -> None:
        begun = time.perf_counter()
        await database.write(_add_guest, str(number), 1)
        times.append(time.perf_counter() - begun)

    for number in range(0, guests, 10):
        now += WEEK / guests * 10
        pruning = asyncio.create_task(prune(database, settings))
        await asyncio.gather(*(add(each) for each in range(number, number + 10)))
        await pruning
        if (number + 10) * 7 // guests > number * 7 // guests:
            kept = await database.read(store.count_guests)
            size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6
            p50, p99, most = 1000 * np.percentile(times, [50, 99, 100])
            print(
                f"{number + 10:,} guests made, {kept:,} kept, {size:,.1f} MB; "
                f"writes p50 {p50:.0f}, p99 {p99:.0f}, most {most:.0f} ms",
                flush=True,
            )
            times.clear()
    database.close()


def main() -> None:
    """Attack and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each attack")
    parser.add_argument("--guests", type=int, default=300, help="guests that are too many")
    parser.add_argument("--week", type=int, default=0, help="guests of a simulated week")
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite3"
        with serving(path, "--agent", "none") as (server, address):
            token = add_token(path, "player")
            stolen = add_token(path, "attacker")

            def run(name: str, count: int, of: str = "") -> None:
                target = ROUTES.get(of, "").format(token=stolen)
                with beside("attackers", attackers, name, count, server.port, target):
                    watch(f"{name} {of}".strip(), server, address, token, options.seconds)

            watch("alone", server, address, token, options.seconds)
            run("methods", 1)
            run("unread", 510)
            for of in ROUTES:
                run("routes", 150, of)
        with serving(path, "--agent", "none", "--forwarded-allow-ips=127.0.0.2") as served:
            server, address = served
            run("household", 16)
        fill(path, options.guests)
        with serving(path, "--agent", "none", "--guests=100") as (server, address):
            what = f"guests ({options.guests:,} of {GAMES_OF_A_GUEST} games, 100 are kept)"
            watch(what, server, address, token, options.seconds)
        with closing(sqlite3.connect(path)) as connection:
            left = store.count_guests(connection)
        print(f"    {left:,} guests are left")
        if options.week:
            asyncio.run(simulate_week(Path(folder) / "week.sqlite3", options.week))


if __name__ == "__main__":
    main()
