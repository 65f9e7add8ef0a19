"""The command ``serve.py``: its options, and what it does with them."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from envs.errors import InputError
from evaluation.arguments import CommandParser, integer, probability
from server.player_commands import manage
from server.served_words import SERVED_PARTS
from server.settings import BOUNDS, OPTIONS, Settings, read_settings

_INTERRUPTED = 130
_DEFAULTS = Settings.model_construct()
_DB = {
    "metavar": "URL",
    "help": f"sqlite:///FILE or postgresql://USER@HOST/NAME (default: {_DEFAULTS.db})",
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="serve.py", description="Serve games of Hangman to clients and to a web page."
    )
    for name, settings in _options().items():
        parser.add_argument(f"--{name}", **settings)
    _add_commands(parser)
    return parser


def _options() -> dict[str, dict[str, Any]]:
    recorded = "words of recorded games that nobody is told (default: those of --split)"
    agent = "who gives hints, or none (default: ppo, of --run or the pretrained policy)"
    known = "how likely it takes a word to be one that it was fitted on, 0 to 1 (default: 0.5)"
    proxies = "proxies whose X-Forwarded-For is believed, with commas (default: none)"
    return {
        "host": {"help": f"(default: {_DEFAULTS.host})"},
        "port": {"type": _port, "help": f"0 takes a free one (default: {_DEFAULTS.port})"},
        "words": {"metavar": "FILE", "help": "a word list, one word per line"},
        "recorded-words": {"metavar": "FILE", "help": recorded},
        "db": _DB,
        "split": {"choices": SERVED_PARTS, "help": "the words of recorded games (default: test)"},
        "practice-split": {
            "choices": SERVED_PARTS,
            "help": "those of practice games (default: valid)",
        },
        "run": {
            "metavar": "RUN_DIR",
            "help": "a training run: its agents, its word list and its split",
        },
        "agent": {"metavar": "NAME", "help": agent},
        "known": {"metavar": "P", "type": probability, "help": known},
        "forwarded-allow-ips": {"metavar": "ADDRESSES", "help": proxies},
        "env-file": {"metavar": "FILE", "help": "settings, a line HANGMAN_NAME=VALUE for each"},
        "set": {
            "action": "append",
            "default": [],
            "dest": "assignments",
            "metavar": "NAME=VALUE",
            "help": f"change a bound; may be given more than once: {', '.join(BOUNDS)}",
        },
    }


def _add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", metavar="token, player")
    token = commands.add_parser(
        "token",
        prog="serve.py token",
        help="make the access token of a player, instead of serving",
        description="Make the access token of a player. It is printed this once.",
    )
    token.set_defaults(action="token")
    token.add_argument("name", metavar="NAME", help="as the leaderboard shows it")
    token.add_argument(
        "--replace",
        action="store_const",
        dest="action",
        const="replace",
        help="instead of the one there is",
    )
    player = commands.add_parser(
        "player",
        prog="serve.py player",
        help="list players, revoke a token, delete a player, instead of serving",
        description="List players, make the token of one worthless, or delete one.",
    )
    player.add_argument("action", choices=["list", "revoke", "delete"])
    player.add_argument("name", metavar="NAME", nargs="?", help="not for list")
    for command in (token, player):
        # Given here or before the command; a default would undo the latter.
        command.add_argument("--db", default=argparse.SUPPRESS, **_DB)


def _port(text: str) -> int:
    return integer(text, 0, 65_535)


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
            print("\n".join(manage(options.action, options.name, settings.db)))
    except InputError as error:
        print(f"serve.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _serve(listener: socket.socket, settings: Settings) -> None:
    # What follows takes seconds to import, and mistakes in the options are told before.
    from server.kernel_cache import use_writable_kernel_cache

    use_writable_kernel_cache()
    from server.serving import serve

    serve(listener, settings)


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
