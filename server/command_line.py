"""The command ``serve.py``."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Sequence
from contextlib import closing

from sqlalchemy.exc import IntegrityError

from envs.errors import InputError
from envs.words import Split, load_word_list
from evaluation.arguments import CommandParser, integer
from server.database import DEFAULT_URL, ServerLock, open_engine
from server.served_words import SERVED_PARTS, divide_words
from server.settings import Settings, read_settings
from server.store import MAX_NAME_LENGTH, add_player, replace_token
from server.tokens import hash_token, make_token

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
_INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="serve.py", description="Serve games of Hangman to clients and to a web page."
    )
    parser.add_argument("--host", default=DEFAULT_HOST, help="(default: %(default)s)")
    parser.add_argument(
        "--port",
        type=lambda text: integer(text, 0, 65535),
        default=DEFAULT_PORT,
        help="0 takes a free one (default: %(default)s)",
    )
    parser.add_argument("--words", metavar="FILE", help="a word list, one word a line")
    parser.add_argument(
        "--db",
        metavar="URL",
        default=DEFAULT_URL,
        help="sqlite:///FILE or postgresql://USER@HOST/NAME (default: %(default)s)",
    )
    parser.add_argument(
        "--split", choices=SERVED_PARTS, help="the words of recorded games (default: test)"
    )
    parser.add_argument(
        "--practice-split", choices=SERVED_PARTS, help="those of practice games (default: valid)"
    )
    parser.add_argument(
        "--run", metavar="RUN_DIR", help="a training run: its agents, its word list and its split"
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="who gives hints, or none (default: ppo, of --run or the pretrained policy)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="assignments",
        metavar="NAME=VALUE",
        help=f"change a bound; may be given more than once: {', '.join(Settings.model_fields)}",
    )
    commands = parser.add_subparsers(dest="command", metavar="token NAME")
    token = commands.add_parser(
        "token",
        prog="serve.py token",
        help="make the access token of a player, instead of serving",
        description="Make the access token of a player. It is printed this once.",
    )
    token.add_argument("name", metavar="NAME", help="as the leaderboard shows it")
    token.add_argument("--replace", action="store_true", help="instead of the one there is")
    # Given here or before "token"; a default would undo the latter.
    token.add_argument("--db", metavar="URL", default=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "token":
            _make_token(options)
        else:
            _serve(options)
    except InputError as error:
        print(f"serve.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _make_token(options: argparse.Namespace) -> None:
    name = options.name.strip()
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise InputError(
            f"token: {options.name!r} is not a name of 1 to {MAX_NAME_LENGTH} printable characters"
        )
    token = make_token()
    engine = open_engine(options.db)
    try:
        with engine.begin() as connection:
            if options.replace:
                if not replace_token(connection, name, hash_token(token)):
                    raise InputError(f"token: there is no player {name!r} whose token to replace")
            else:
                add_player(connection, name, hash_token(token))
    except IntegrityError as error:
        raise InputError(
            f"token: there is a player {name!r} already; --replace makes another token"
        ) from error
    finally:
        engine.dispose()
    print("Keep it: only its hash is stored.")
    print(f"access token of {name}: {token}")


def _serve(options: argparse.Namespace) -> None:
    settings = read_settings(options.assignments)
    with closing(_listen(options.host, options.port)) as listener:
        _serve_on(listener, settings, options)


def _serve_on(listener: socket.socket, settings: Settings, options: argparse.Namespace) -> None:
    # What follows takes seconds to import, and mistakes in the options are told before.
    import uvicorn

    from server.access_log import log_config
    from server.agents import make_agent_player
    from server.app import create_app
    from training.config import Config
    from training.run_directory import RunDirectory

    run = None if options.run is None else RunDirectory.open(options.run)
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(options.words if options.words is not None else config.words)
    words = divide_words(
        word_list,
        Split(config.split.seed, tuple(config.split.fractions)),
        options.split,
        options.practice_split,
        (config.env.min_length, config.env.max_length),
    )
    engine = open_engine(options.db)
    try:
        lock = ServerLock(engine)
    except InputError:
        engine.dispose()
        raise
    try:
        print(words.description, flush=True)
        agent = make_agent_player(options.agent, run, words.to_fit, settings.max_wrong)
        print(f"agent: {agent.name or 'none'}", flush=True)
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(engine, words, agent, settings),
                # Its parser bounds the size of what it has not understood yet.
                http="h11",
                h11_max_incomplete_event_size=settings.header_bytes + settings.target_bytes,
                ws="none",
                limit_concurrency=settings.connections,
                log_config=log_config(),
                # A request's address is that of its connection, whatever its headers say.
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=5,
            )
        )
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"serving on http://{shown}:{port}", flush=True)
        # The thread that writes and the one that answers hand over to each other often.
        sys.setswitchinterval(0.0005)
        server.run(sockets=[listener])
    finally:
        lock.release()
        engine.dispose()


def _listen(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        if listener is not None:
            listener.close()
        where = f"--host, --port: cannot listen on {host}:{port}"
        raise InputError(f"{where} ({error.strerror})") from error
    return listener
