"""The process that serves the application: its words, its agent, and the HTTP engine."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import suppress

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import has_frequencies
from hangman_lab.run_files.agents import find_run
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.server.agent import make_agent_player
from hangman_lab.server.app import create_app
from hangman_lab.server.database import only_server, open_database
from hangman_lab.server.observability import log_to_stderr
from hangman_lab.server.served_words import ServedWords, divide_words, use_recorded_words
from hangman_lab.server.settings import Settings

# Bytes of the head of a request.
_MAX_HEAD = 16_384
# Files of the process that are no connections.
_OTHER_FILES = 256


def serve(host: str, port: int, settings: Settings) -> None:
    """Serve games until the process is stopped; InputError if the settings cannot be met."""
    connections = _allow_connections(settings.connections)
    run = find_run(settings.run, ())
    words = _find_words(run, settings)
    open_database(settings.db).close()
    with only_server(settings.db):
        print(words.description, *_warnings(words, host, settings), sep="\n", flush=True)
        agent = make_agent_player(run, words.to_fit, settings)
        print(f"agent: {agent.name if agent is not None else 'none'}", flush=True)
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
            backpressure=connections,
            http1_settings=HTTP1Settings(
                header_read_timeout=round(1_000 * settings.client_seconds),
                max_buffer_size=_MAX_HEAD,
            ),
        )
        # The threads of the engine and of the event loop alternate often.
        sys.setswitchinterval(0.0005)
        log = log_to_stderr()
        # Collecting what was loaded would stop the event loop for a moment.
        gc.freeze()
        try:
            _run(_serve_until_stopped(server, host, port))
        finally:
            log.stop()


def _warnings(words: ServedWords, host: str, settings: Settings) -> Iterator[str]:
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
    if not ipaddress.ip_address(host.partition("%")[0]).is_loopback:
        yield f"whoever reaches {host} can read /metrics; keep it inside by a proxy"
    if settings.forwarded_allow_ips is not None and "*" in settings.forwarded_allow_ips:
        yield "--forwarded-allow-ips '*': any client can name its own address and evade its limits"


def _find_words(run: RunDirectory | None, settings: Settings) -> ServedWords:
    config = Config() if run is None else run.load_config()
    common = settings.practice_words == "common" or (
        settings.practice_words is None and settings.words is None and has_frequencies()
    )
    run_words = load_words(config, settings.words)
    words = divide_words(run_words, common)
    if settings.recorded_words is None:
        return words
    fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
    return use_recorded_words(words, settings.recorded_words, run_words.word_list, fitted)


def _allow_connections(connections: int) -> int:
    """Let the process open a file per connection; InputError if the system does not."""
    try:
        import resource
    except ImportError:  # Windows
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        allowed = f"{hard - _OTHER_FILES:,} with the system's limit of {hard:,} open files"
        raise InputError(f"--connections: {connections:,} is not allowed (at most {allowed})")
    if soft != resource.RLIM_INFINITY and needed > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return connections


async def _serve_until_stopped(server: Server, host: str, port: int) -> None:
    """Serve until a signal; requests that have begun are answered, unless a second one comes."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Future[int]()

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stopped.set_result, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    serving = asyncio.create_task(server.serve())
    announcing = asyncio.create_task(_announce(host, port))
    await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    announcing.cancel()
    server.stop()
    await serving
    if stopped.done() and stopped.result() == signal.SIGINT:
        raise KeyboardInterrupt


async def _announce(host: str, port: int) -> None:
    """Print the address when it can be reached."""
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            break
        await asyncio.sleep(0.01)
    print(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)


def _run(main: Coroutine[None, None, None]) -> None:
    try:
        import uvloop
    except ImportError:  # Windows
        asyncio.run(main)
    else:
        uvloop.run(main)
