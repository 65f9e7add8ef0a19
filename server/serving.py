"""Serving: words, database and agent made ready, and the application run until it is stopped."""

from __future__ import annotations

import gc
import socket
import sys
from contextlib import closing
from functools import partial

import uvicorn
from sqlalchemy import Engine

from envs.errors import InputError
from envs.words import load_word_list
from runs.config import Config
from runs.directory import PRETRAINED, RunDirectory
from server.agent_player import AgentPlayer
from server.agents import make_agent_player
from server.app import create_app
from server.connections import BoundedConnection, ConnectionBounds
from server.database import open_engine
from server.logs import log_config
from server.served_words import ServedWords, divide_words, use_recorded_words
from server.server_lock import ServerLock
from server.settings import Settings


def serve(listener: socket.socket, settings: Settings) -> None:
    """Serve games to those who connect to a socket that listens, until the process is stopped.

    Raises
    ------
    InputError
        If the settings cannot be met, or another server has begun to play in the database.
    """
    run = None if settings.run is None else RunDirectory.open(settings.run)
    words = _find_words(run, settings)
    engine = open_engine(settings.db)
    with closing(ServerLock(engine)):
        print(words.description, flush=True)
        if not words.withheld:
            print(
                "recorded words are of a public list, which a client can look up; "
                "--recorded-words takes a list of your own",
                flush=True,
            )
        agent = make_agent_player(run, words.to_fit, settings)
        print(f"agent: {agent.name or 'none'}", flush=True)
        _serve_until_stopped(listener, engine, words, agent, settings)


def _find_words(run: RunDirectory | None, settings: Settings) -> ServedWords:
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(settings.words if settings.words is not None else config.words)
    words = divide_words(
        word_list,
        config.split.make(),
        settings.split,
        settings.practice_split,
        (config.env.min_length, config.env.max_length),
    )
    if settings.recorded_words is None:
        return words
    if settings.split is not None:
        raise InputError("--split: it does not go with --recorded-words")
    fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
    return use_recorded_words(words, settings.recorded_words, word_list, fitted)


def _serve_until_stopped(
    listener: socket.socket,
    engine: Engine,
    words: ServedWords,
    agent: AgentPlayer,
    settings: Settings,
) -> None:
    replaced = []

    def end() -> None:
        replaced.append(None)
        server.should_exit = True

    server = _Server(
        uvicorn.Config(
            create_app(engine, words, agent, settings, end),
            http=partial(BoundedConnection, ConnectionBounds(settings)),
            # A parser that bounds the size of what it has not understood yet.
            h11_max_incomplete_event_size=settings.header_bytes + settings.target_bytes,
            ws="none",
            log_config=log_config(),
            access_log=False,
            # A request's address is that of its connection, unless a proxy is trusted.
            proxy_headers=settings.forwarded_allow_ips is not None,
            forwarded_allow_ips=settings.forwarded_allow_ips,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )
    _allow_files(2 * settings.connections)
    # The thread that writes and the one that answers hand over to each other often.
    sys.setswitchinterval(0.0005)
    # What was loaded stays; to look through it for garbage would stop everybody for a moment.
    gc.freeze()
    server.run(sockets=[listener])
    if replaced:
        raise InputError("--db: another server has begun to play in the database; this one ended")


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = sockets[0].getsockname()[:2]
        print(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)


def _allow_files(number: int) -> None:
    """Let this process have so many open files, each connection being one, if it may."""
    try:
        import resource
    except ImportError:
        # Windows has no such bound.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
