"""Serving: words, database and agent made ready, and the application run until it is stopped."""

from __future__ import annotations

import gc
import ipaddress
import socket
import sys
from collections.abc import Iterator
from functools import partial

import uvicorn

from hangman_lab.envs.words import has_frequencies, load_word_list
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.server.agent import make_agent_player
from hangman_lab.server.app import create_app
from hangman_lab.server.bounds import MAX_HEADERS, MAX_TARGET
from hangman_lab.server.connections import BoundedConnection, ConnectionBounds
from hangman_lab.server.database import only_server, open_database
from hangman_lab.server.observability import LOG_CONFIG
from hangman_lab.server.served_words import ServedWords, divide_words, use_recorded_words
from hangman_lab.server.settings import Settings


def serve(listener: socket.socket, settings: Settings) -> None:
    """Serve games to those who connect to a socket that listens, until the process is stopped.

    InputError if the settings cannot be met, or another server plays in the database.
    """
    run = None if settings.run is None else RunDirectory.open(settings.run)
    words = _find_words(run, settings)
    open_database(settings.db).close()
    with only_server(settings.db):
        print(words.description, *_warnings(words, listener, settings), sep="\n", flush=True)
        agent = make_agent_player(run, words.to_fit, settings)
        print(f"agent: {agent.name or 'none'}", flush=True)
        config = uvicorn.Config(
            create_app(words, agent, settings),
            http=partial(BoundedConnection, ConnectionBounds(settings)),
            # h11 bounds the size of what it has not understood yet.
            h11_max_incomplete_event_size=MAX_HEADERS + MAX_TARGET,
            ws="none",
            log_config=LOG_CONFIG,
            access_log=False,
            # A request's address is that of its connection, unless a proxy is trusted.
            proxy_headers=settings.forwarded_allow_ips is not None,
            forwarded_allow_ips=settings.forwarded_allow_ips,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
        # The thread that writes and the thread that answers hand over to each other often.
        sys.setswitchinterval(0.0005)
        # What was loaded stays; to look through it for garbage would stop everybody for a moment.
        gc.freeze()
        _Server(config).run(sockets=[listener])


def _warnings(words: ServedWords, listener: socket.socket, settings: Settings) -> Iterator[str]:
    if not words.withheld:
        yield (
            "recorded words are of a public list, which a client can look up; "
            "--recorded-words takes a list of your own"
        )
    if len(words.recorded) < settings.recorded_runs:
        yield (
            f"a player gets recorded words again after {len(words.recorded):,} games of "
            f"{settings.recorded_runs:,}; --recorded-runs bounds the games"
        )
    address = listener.getsockname()[0].partition("%")[0]
    if not ipaddress.ip_address(address).is_loopback:
        yield f"whoever reaches {address} can read /metrics; keep it inside by a proxy"


def _find_words(run: RunDirectory | None, settings: Settings) -> ServedWords:
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(settings.words if settings.words is not None else config.words)
    lengths = config.env.min_length, config.env.max_length
    common = settings.practice_words == "common" or (
        settings.practice_words is None and settings.words is None and has_frequencies()
    )
    words = divide_words(word_list, config.split.make(), lengths, common)
    if settings.recorded_words is None:
        return words
    fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
    return use_recorded_words(words, settings.recorded_words, word_list, fitted)


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = sockets[0].getsockname()[:2]
        print(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
