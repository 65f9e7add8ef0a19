"""Servers as processes, clients that load them, and what is left when they are killed."""

import asyncio
import itertools
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import aiohttp
from sqlalchemy import select

from evaluation.remote.client import GameClient, RemoteGame
from server import store
from server.database import open_engine
from server.tokens import hash_token, make_token
from tests.processes import ROOT, environment

WIRE = "/trexsim/hangman"
# Frequent letters first, as most clients guess.
LETTERS = "esiarntolcdugpmhbyfvkwzxjq"


class ServerProcess:
    """``serve.py`` as a process that can be killed and started again at the same port."""

    def __init__(self, url, *options, root=ROOT):
        self.url = url
        self.root = root
        self.options = options
        self.port = 0
        self.process = None
        # All that it printed, of every start; a pipe would stop it when nobody reads.
        self.output = tempfile.TemporaryFile()  # noqa: SIM115

    def start(self, *prefix, **variables):
        """Start it, by another command perhaps; return its address when it listens."""
        printed = len(self.read())
        self.process = subprocess.Popen(
            [
                *(*prefix, sys.executable, str(self.root / "serve.py"), "--db", self.url),
                *("--port", str(self.port), *map(str, self.options)),
            ],
            cwd=self.root,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            env={**environment(), **variables},
        )
        while True:
            ended = self.process.poll() is not None
            lines = self.read()[printed:]
            found = re.search(r"^serving on (http://\S+:(\d+))\n", lines, re.MULTILINE)
            if found:
                self.port = int(found[2])
                return found[1]
            if ended:
                raise AssertionError(f"the server did not start: {lines}")
            time.sleep(0.02)

    def read(self):
        """Return what it has printed."""
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode()

    def kill(self):
        """End it without a warning."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """End it as a person does; return its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()

    def end_within(self, seconds):
        """End it as a service manager does; return whether it did in time."""
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self):
        """End it if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        self.output.close()


@contextmanager
def serving(url, *options, root=ROOT):
    """Run a server; yield it and its address."""
    server = ServerProcess(url, *options, root=root)
    try:
        yield server, server.start()
    finally:
        server.close()


def add_token(url, name):
    """Return the token of a new player."""
    token = make_token()
    engine = open_engine(url)
    with engine.begin() as connection:
        store.add_player(connection, name, hash_token(token))
    engine.dispose()
    return token


def add_guests(url, number):
    """Return the tokens of new guests."""
    tokens = [make_token() for _ in range(number)]
    engine = open_engine(url)
    with engine.begin() as connection:
        for token in tokens:
            store.add_player(connection, None, hash_token(token))
    engine.dispose()
    return tokens


@dataclass
class Load:
    """What clients measured: seconds per guess, and answers that were none."""

    latencies: list[float] = field(default_factory=list)
    errors: Counter = field(default_factory=Counter)
    games: int = 0


async def guess_for(address, token, clients, seconds):
    """Let clients play practice games, each guessing as soon as it is answered."""
    load = Load()
    end = time.perf_counter() + seconds

    async def get(session, path, **query):
        begun = time.perf_counter()
        query["access_token"] = token
        async with session.get(f"{address}{WIRE}/{path}", params=query) as response:
            answer = json.loads(await response.read())
            if response.status != 200:
                load.errors[answer.get("error", response.status)] += 1
        if path == "guess_letter":
            load.latencies.append(time.perf_counter() - begun)
        return answer

    async def play_on(session):
        while time.perf_counter() < end:
            game = await get(session, "new_game", practice="True")
            for letter in LETTERS:
                answer = await get(
                    session,
                    "guess_letter",
                    request="guess_letter",
                    game_id=game.get("game_id", ""),
                    letter=letter,
                )
                if answer.get("status") != "ongoing" or time.perf_counter() >= end:
                    break
            load.games += answer.get("status") in ("success", "failed")

    connector = aiohttp.TCPConnector(limit=clients)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(play_on(session) for _ in range(clients)))
    return load


@contextmanager
def flooding(address, kinds, tokens):
    """Let clients of another address ask as fast as they can, in a process of its own.

    Yields a function that returns, after the end, how often each status was answered.
    """
    answers = Counter()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        manager = multiprocessing.get_context("spawn").Manager()
        with manager:
            begun, ending = manager.Event(), manager.Event()
            flood = executor.submit(_flood, address, kinds, tokens, begun, ending)
            try:
                # The process takes seconds to start; it may also fail.
                while not (begun.wait(0.1) or flood.done()):
                    pass
                yield lambda: dict(sorted(answers.items()))
            finally:
                ending.set()
                answers.update(flood.result())


def _flood(address, kinds, tokens, begun, ending):
    answers = Counter()
    stopping = False

    async def ask(session, method, path, body, token):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"{address}/api/v1/{path}"
        try:
            async with session.request(method, url, json=body, headers=headers) as response:
                answers[str(response.status)] += 1
                return await response.json()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            answers[type(error).__name__] += 1
            return {}

    async def go_on(session, kind, token):
        game = {}
        while not stopping:
            if kind == "leaderboard":
                await ask(session, "GET", "leaderboard", None, None)
            elif kind == "hints":
                await ask(session, "POST", "hints", {"pattern": "_" * 12}, token)
            elif kind == "agent games":
                word = "abcdefghijklmnopqrstuvwxyz"
                await ask(session, "POST", "agent-games", {"word": word}, token)
            elif kind == "new games" or game.get("status") != "ongoing":
                game = await ask(session, "POST", "games", {}, token)
            else:
                letter = next(each for each in LETTERS if each not in game["guesses"])
                path = f"games/{game['game_id']}/guesses"
                answer = await ask(session, "POST", path, {"letter": letter}, token)
                game = answer if "guesses" in answer else game

    async def flood():
        nonlocal stopping
        connector = aiohttp.TCPConnector(limit=0, local_addr=("127.0.0.2", 0))
        timeout = aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            tasks = [
                asyncio.create_task(go_on(session, *each))
                for each in zip(kinds, tokens, strict=True)
            ]
            begun.set()
            await asyncio.to_thread(ending.wait)
            stopping = True
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(flood())
    return answers


async def play_beside(address, token, seconds):
    """Guess 10 times and ask for a hint once a second; return what it measured."""
    times = {"guess": [], "hint": []}
    errors = Counter()
    end = time.perf_counter() + seconds
    headers = {"Authorization": f"Bearer {token}"}

    async with aiohttp.ClientSession(headers=headers) as session:

        async def ask(path, body, kind=None):
            begun = time.perf_counter()
            async with session.post(f"{address}/api/v1/{path}", json=body) as response:
                answer = await response.json()
                if response.status >= 400:
                    errors[answer["error"]] += 1
            if kind is not None:
                times[kind].append(time.perf_counter() - begun)
            return answer

        async def guess():
            while time.perf_counter() < end:
                game = await ask("games", {})
                for letter in LETTERS:
                    path = f"games/{game.get('game_id')}/guesses"
                    answer = await ask(path, {"letter": letter}, "guess")
                    await asyncio.sleep(0.1)
                    if answer.get("status") != "ongoing" or time.perf_counter() >= end:
                        break

        async def hint():
            while time.perf_counter() < end:
                await ask("hints", {"pattern": "_" * 8}, "hint")
                await asyncio.sleep(0.5)

        await asyncio.gather(guess(), hint())
    shown = []
    for kind, measured in times.items():
        milliseconds = sorted(1000 * each for each in measured)
        last = milliseconds[min(len(milliseconds) - 1, int(0.99 * len(milliseconds)))]
        middle = milliseconds[len(milliseconds) // 2]
        shown.append(f"{len(measured)} {kind}s p50 {middle:.0f}, p99 {last:.0f} ms")
    return f"{'; '.join(shown)}; errors {dict(errors)}"


@dataclass
class Witness:
    """What a client saw of one game.

    Attributes
    ----------
    answered : str
        The letters whose guess was answered, in order.
    unanswered : str
        A letter that was sent last and whose answer did not come.
    """

    game: RemoteGame
    answered: str = ""
    unanswered: str = ""


async def play_games(remote, numbers, witnesses, is_ending):
    """Play games of these numbers, one after the other, until it ends; tell witnesses of each."""
    for number in numbers:
        if is_ending():
            return
        game = await remote.new_game(number, recorded=False)
        witnesses.append(witness := Witness(game))
        for letter in LETTERS:
            witness.unanswered = letter
            await remote.guess(game, letter)
            witness.answered += letter
            witness.unanswered = ""
            if game.status != "ongoing" or is_ending():
                break


async def play_through_kills(server, address, token, clients, kills, pause):
    """Kill and start the server while clients play; return what they saw of their games.

    Each client sends a request again until it is answered; ``pause`` returns the seconds before the
    next kill.
    """
    witnesses = []
    numbers = itertools.count()
    stopping = False
    # A client may find the server gone many times before it finds it there.
    async with GameClient(address, token, connections=clients, patience=1800) as remote:
        playing = [
            asyncio.create_task(play_games(remote, numbers, witnesses, lambda: stopping))
            for _ in range(clients)
        ]
        for _ in range(kills):
            await asyncio.sleep(pause())
            server.kill()
            await asyncio.to_thread(server.start)
        await asyncio.sleep(pause())
        stopping = True
        await asyncio.gather(*playing)
    return witnesses


async def play_until(address, token, clients, end):
    """Let clients play until ``end``, on a thread, has returned; return what they saw.

    A letter whose answer did not come stays unanswered.
    """
    witnesses = []
    numbers = itertools.count()
    stopping = False
    async with GameClient(address, token, connections=clients, patience=0.0) as remote:
        playing = [
            asyncio.create_task(play_games(remote, numbers, witnesses, lambda: stopping))
            for _ in range(clients)
        ]
        await asyncio.to_thread(end)
        stopping = True
        # A server that ends answers no more.
        await asyncio.gather(*playing, return_exceptions=True)
    return witnesses


def check_nothing_lost(url, witnesses, all_seen=True):
    """Compare the database with what clients saw; return how much was compared.

    Parameters
    ----------
    url : str
    witnesses : list of Witness
    all_seen : bool
        Whether clients sent each request until it was answered. Otherwise a last letter may be
        stored whose answer did not come, and a game that nobody knows.

    Raises
    ------
    AssertionError
        If an answered guess is missing, counted twice, or a game stands otherwise than its player
        was told.
    """
    engine = open_engine(url)
    with engine.connect() as connection:
        games = {row.id: row for row in connection.execute(select(store.games))}
        stored = dict.fromkeys(games, "")
        for game_id, letter in connection.execute(
            select(store.guesses.c.game_id, store.guesses.c.letter).order_by(
                store.guesses.c.game_id, store.guesses.c.number
            )
        ):
            stored[game_id] += letter
    engine.dispose()
    counts = Counter(games=len(games), guesses=sum(map(len, stored.values())))
    seen = {witness.game.game_id: witness for witness in witnesses}
    assert len(seen) == len(witnesses), "two new games had the same id"
    for game_id, witness in seen.items():
        assert game_id in games, "a game that was answered is lost"
        letters, game = stored[game_id], witness.game
        counts["answered guesses"] += len(witness.answered)
        if not all_seen and letters == witness.answered + witness.unanswered:
            continue
        assert letters == witness.answered, (letters, witness)
        assert not all_seen or not witness.unanswered
        secret, told = games[game_id].secret, game.pattern
        assert told == "".join(letter if letter in letters else "_" for letter in secret)
        wrong = sum(letter not in secret for letter in letters)
        assert (game.tries, game.status) == (6 - wrong, games[game_id].status)
    # A game without a witness would be one that a repeated request began twice.
    assert not all_seen or set(games) == set(seen), "a request that was repeated began two games"
    return counts
