"""Serve the application: its words, its agent, and the HTTP engine."""

from __future__ import annotations

import asyncio
import gc
import logging
import queue
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from logging.handlers import QueueHandler, QueueListener

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from hangman_lab.agents import AGENTS
from hangman_lab.run_files.agents import check_prior, find_run
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words
from hangman_lab.server.agent import make_agent_player
from hangman_lab.server.app import create_app
from hangman_lab.server.bounds import CLIENT_SECONDS
from hangman_lab.server.database import open_database
from hangman_lab.server.served_words import divide_words
from hangman_lab.server.settings import Settings

# The largest head of a request, in bytes.
_MAX_HEAD = 16_384
# Open connections, and other open files.
_MAX_CONNECTIONS = 8_000
_OTHER_FILES = 256
# Queued log lines; when the queue is full, lines are dropped.
_MAX_LINES = 10_000


def serve(host: str, port: int, settings: Settings) -> None:
    """Serve games until the process is stopped; InputError if a setting is invalid."""
    check_prior(settings.agent, settings.known, settings.common)
    trained = find_run(settings.run, ())
    config = Config() if trained is None else trained.load_config()
    words = divide_words(load_words(config, settings.words), settings, trained)
    open_database(settings.db).close()
    print(words.description)
    if not words.withheld:
        print("recorded words are public, a client can look them up; see --recorded-words")
    if "*" in (settings.forwarded_allow_ips or ""):
        print("--forwarded-allow-ips '*': any client can name its own address and evade its limits")
    if settings.common is None:
        common = 0.0 if settings.agent in AGENTS else words.common
        settings = replace(settings, common=common)
    agent = make_agent_player(trained, words, settings)
    print(f"agent: {settings.agent}", flush=True)
    app = create_app(words, agent, settings)
    if settings.forwarded_allow_ips is not None:
        app = wrap_asgi_with_proxy_headers(app, settings.forwarded_allow_ips)
    server = Server(
        app,
        host,
        port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=2_048,
        backpressure=_allow_connections(),
        log_level=LogLevels.error,
        log_dictconfig={"loggers": {}},
        http1_settings=HTTP1Settings(
            header_read_timeout=round(1_000 * CLIENT_SECONDS), max_buffer_size=_MAX_HEAD
        ),
    )
    # For latency: the threads of the engine and of the event loop alternate.
    sys.setswitchinterval(0.0005)
    log = _log_to_stderr()
    # For latency: garbage collections skip what is loaded.
    gc.freeze()
    run: Callable[..., object] = asyncio.run
    with suppress(ImportError):  # Windows
        import uvloop

        run = uvloop.run
    try:
        run(_serve_until_stopped(server, host, port))
    finally:
        log.stop()


def _log_to_stderr() -> QueueListener:
    """Log failures on standard error, on a thread, so that no request waits for its reader."""
    lines: queue.Queue[logging.LogRecord] = queue.Queue(_MAX_LINES)
    # Drops lines without a message when the queue is full.
    logging.raiseExceptions = False
    form = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(format=form, level=logging.ERROR, handlers=[QueueHandler(lines)])
    listener = QueueListener(lines, logging.StreamHandler())
    listener.start()
    return listener


def _allow_connections() -> int:
    """Raise the limit of open files; return the highest number of connections."""
    try:
        import resource
    except ImportError:  # Windows
        return _MAX_CONNECTIONS
    files = _MAX_CONNECTIONS + _OTHER_FILES
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(files - _OTHER_FILES, 1)


async def _serve_until_stopped(server: Server, host: str, port: int) -> None:
    """Serve until a signal, then finish requests; a second signal ends the process at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(server.stop)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    announcing = asyncio.create_task(_announce(host, port))
    await server.serve()
    announcing.cancel()


async def _announce(host: str, port: int) -> None:
    """Print the address once the server listens."""
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            break
        await asyncio.sleep(0.01)
    print(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
