"""The command ``serve.py``."""

from __future__ import annotations

import argparse
import gc
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from envs.errors import InputError
from envs.words import Split, load_word_list
from evaluation.arguments import CommandParser, integer, probability
from server import store
from server.database import cause, open_engine
from server.served_words import SERVED_PARTS, divide_words, use_recorded_words
from server.server_lock import ServerLock
from server.settings import BOUNDS, OPTIONS, Settings, read_settings
from server.tokens import hash_token, make_token

_INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    parser = CommandParser(
        prog="serve.py", description="Serve games of Hangman to clients and to a web page."
    )
    parser.add_argument("--host", help=f"(default: {defaults['host']})")
    parser.add_argument(
        "--port",
        type=lambda text: integer(text, 0, 65535),
        help=f"0 takes a free one (default: {defaults['port']})",
    )
    parser.add_argument("--words", metavar="FILE", help="a word list, one word per line")
    parser.add_argument(
        "--recorded-words",
        metavar="FILE",
        help="words of recorded games that nobody is told (default: those of --split)",
    )
    _add_db(parser, None)
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
        "--known",
        type=probability,
        metavar="P",
        help="how likely it takes a word to be one that it was fitted on, 0 to 1 (default: 0.5)",
    )
    parser.add_argument(
        "--forwarded-allow-ips",
        metavar="ADDRESSES",
        help="proxies whose X-Forwarded-For is believed, with commas (default: none)",
    )
    parser.add_argument(
        "--env-file", metavar="FILE", help="settings, a line HANGMAN_NAME=VALUE for each"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="assignments",
        metavar="NAME=VALUE",
        help=f"change a bound; may be given more than once: {', '.join(BOUNDS)}",
    )
    commands = parser.add_subparsers(dest="command", metavar="token, player")
    token = commands.add_parser(
        "token",
        prog="serve.py token",
        help="make the access token of a player, instead of serving",
        description="Make the access token of a player. It is printed this once.",
    )
    token.add_argument("name", metavar="NAME", help="as the leaderboard shows it")
    token.add_argument("--replace", action="store_true", help="instead of the one there is")
    # Given here or before the command; a default would undo the latter.
    _add_db(token, argparse.SUPPRESS)
    player = commands.add_parser(
        "player",
        prog="serve.py player",
        help="list players, revoke a token, delete a player, instead of serving",
        description="List players, make the token of one worthless, or delete one.",
    )
    player.add_argument("action", choices=["list", "revoke", "delete"])
    player.add_argument("name", metavar="NAME", nargs="?", help="not for list")
    _add_db(player, argparse.SUPPRESS)
    return parser


def _add_db(parser: argparse.ArgumentParser, default: Any) -> None:
    shown = Settings.model_fields["db"].default
    parser.add_argument(
        "--db",
        metavar="URL",
        default=default,
        help=f"sqlite:///FILE or postgresql://USER@HOST/NAME (default: {shown})",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(arguments)
    try:
        given = {name: getattr(options, name) for name in OPTIONS}
        settings = read_settings(options.assignments, given, options.env_file)
        if options.command is None:
            with closing(_listen(settings.host, settings.port)) as listener:
                _serve(listener, settings)
        else:
            _manage(options, settings.db)
    except InputError as error:
        print(f"serve.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _manage(options: argparse.Namespace, url: str) -> None:
    """Change or list players; a server that runs notices within a second."""
    commands = {
        "token": _replace_token if getattr(options, "replace", False) else _add_token,
        "list": _list_players,
        "revoke": _revoke_token,
        "delete": _delete_player,
    }
    action = options.command if options.command == "token" else options.action
    if action == "list" and options.name is not None:
        raise InputError("player list: it takes no NAME")
    if action in ("revoke", "delete") and options.name is None:
        raise InputError(f"player {action}: the NAME of a player is expected")
    engine = open_engine(url)
    try:
        with engine.begin() as connection:
            lines = commands[action](connection, options.name)
    except SQLAlchemyError as error:
        raise InputError(f"--db: {action} failed ({cause(error)})") from error
    finally:
        engine.dispose()
    if action in ("revoke", "delete") or commands[action] is _replace_token:
        from server.players import SECONDS_KNOWN

        # From here on a server that runs refuses the old token.
        time.sleep(SECONDS_KNOWN)
    print("\n".join(lines))


def _add_token(connection: Connection, name: str) -> list[str]:
    name, token = _check_name(name), make_token()
    try:
        store.add_player(connection, name, hash_token(token))
    except IntegrityError as error:
        raise InputError(
            f"token: there is a player {name!r} already; --replace makes another token"
        ) from error
    return _tell(name, token)


def _replace_token(connection: Connection, name: str) -> list[str]:
    name, token = _check_name(name), make_token()
    if not store.replace_token(connection, name, hash_token(token)):
        raise InputError(f"token: there is no player {name!r} whose token to replace")
    return _tell(name, token)


def _check_name(name: str) -> str:
    stripped = name.strip()
    if not 1 <= len(stripped) <= store.MAX_NAME_LENGTH or not stripped.isprintable():
        raise InputError(
            f"token: {name!r} is not a name of 1 to {store.MAX_NAME_LENGTH} printable characters"
        )
    return stripped


def _tell(name: str, token: str) -> list[str]:
    return ["Keep it: only its hash is stored.", f"access token of {name}: {token}"]


def _list_players(connection: Connection, name: None) -> list[str]:
    lines = [
        f"{player.name}: {player.games:,} recorded games, {player.wins:,} won, "
        f"{player.unfinished:,} open, {player.hinted:,} with hints"
        for player in store.list_players(connection)
    ]
    return [*lines, f"{len(lines):,} players, {store.count_guests(connection):,} guests"]


def _revoke_token(connection: Connection, name: str) -> list[str]:
    # That of a token that nobody has.
    if not store.replace_token(connection, name, hash_token(make_token())):
        raise InputError(f"player revoke: there is no player {name!r}")
    return [
        f"the token of {name} is worthless; its games stay (token {name} --replace makes another)"
    ]


def _delete_player(connection: Connection, name: str) -> list[str]:
    if not store.delete_player(connection, name):
        raise InputError(f"player delete: there is no player {name!r}")
    return [f"{name} and its games are deleted"]


def _serve(listener: socket.socket, settings: Settings) -> None:
    # What follows takes seconds to import, and mistakes in the options are told before.
    from server.kernel_cache import use_writable_kernel_cache

    use_writable_kernel_cache()
    import uvicorn

    from runs.config import Config
    from runs.directory import PRETRAINED, RunDirectory
    from server.agents import make_agent_player
    from server.app import create_app
    from server.connections import make_protocol
    from server.logs import log_config

    run = None if settings.run is None else RunDirectory.open(settings.run)
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(settings.words if settings.words is not None else config.words)
    words = divide_words(
        word_list,
        Split(config.split.seed, tuple(config.split.fractions)),
        settings.split,
        settings.practice_split,
        (config.env.min_length, config.env.max_length),
    )
    if settings.recorded_words is not None:
        if settings.split is not None:
            raise InputError("--split: it does not go with --recorded-words")
        fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
        words = use_recorded_words(words, settings.recorded_words, word_list, fitted)
    engine = open_engine(settings.db)
    try:
        lock = ServerLock(engine)
    except InputError:
        engine.dispose()
        raise
    try:
        print(words.description, flush=True)
        if not words.withheld:
            print(
                "recorded words are of a public list, which a client can look up; "
                "--recorded-words takes a list of your own",
                flush=True,
            )
        agent = make_agent_player(run, words.to_fit, settings)
        print(f"agent: {agent.name or 'none'}", flush=True)

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                host, port = listener.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                print(f"serving on http://{shown}:{port}", flush=True)

        replaced = []

        def end() -> None:
            replaced.append(None)
            server.should_exit = True

        app = create_app(engine, words, agent, settings, end)
        server = Server(
            uvicorn.Config(
                app,
                # A parser that bounds the size of what it has not understood yet.
                http=make_protocol(settings),
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
            raise InputError(
                "--db: another server has begun to play in the database; this one ended"
            )
    finally:
        lock.release()


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


def _listen(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except (OSError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        where = f"--host, --port: cannot listen on {host}:{port}"
        reason = error.strerror if isinstance(error, OSError) else "not the name of a host"
        raise InputError(f"{where} ({reason})") from error
    return listener
