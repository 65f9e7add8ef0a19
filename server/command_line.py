"""The command ``serve.py``, which serves games or manages players."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import sys
import unicodedata
from argparse import SUPPRESS, ArgumentError, Namespace
from collections.abc import Sequence
from contextlib import closing
from dataclasses import fields
from itertools import pairwise

from hangman_lab.envs.errors import InputError
from hangman_lab.server import players
from hangman_lab.server.database import open_database, transaction
from hangman_lab.server.settings import Settings
from hangman_lab.terminal.arguments import CommandParser, command_main, option_name, program

_MAX_NAME_LENGTH = 64


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog=program("serve"),
        description="Serve games of Hangman to clients and to a web page, or manage players.",
        epilog="--port 9000 is HANGMAN_PORT=9000 in the environment; options have precedence.",
    )

    for option in fields(Settings):
        if option.name == "words":
            parser.add_words()
        else:
            parser.add_argument(option_name(option.name), **option.metadata)
    actions = parser.add_subparsers(dest="action", title="players")
    token = actions.add_parser("token", help="create the access token of a player")
    token.add_argument("--replace", action="store_true", help="replace the current token")
    delete = actions.add_parser("delete", help="delete a player with all games")
    for each in (token, delete):
        each.add_argument("name", metavar="NAME", help="name on the leaderboard")
        each.add_argument("--db", metavar="FILE", default=SUPPRESS, help="file of the database")
    return parser


@command_main("serve")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = read_options(arguments)
    if options.action is not None:
        _manage(options)
        return 0
    host, port = _find_address(options.host, options.port)
    # This takes seconds to import, so options are checked first.
    from hangman_lab.server.engine import serve

    values = {each.name: getattr(options, each.name) for each in fields(Settings)}
    serve(host, port, Settings(**values))
    return 0


def read_options(arguments: Sequence[str] | None) -> Namespace:
    """Read the environment, and the command line, which has precedence."""
    reader, options = parser(), Namespace()
    reader.exit_on_error = False
    for field in fields(Settings):
        variable = f"HANGMAN_{field.name.upper()}"
        if value := os.environ.get(variable):
            try:
                reader.parse_args([f"{option_name(field.name)}={value}"], options)
            except ArgumentError as error:
                raise InputError(f"{variable}: {error.message}") from error
    return parser().parse_args(arguments, options)


def _name(text: str) -> str:
    """Return a name that cannot be mistaken for another one; InputError if it can."""
    name = unicodedata.normalize("NFKC", text).strip()
    names = {char: unicodedata.name(char, "?") for char in name}
    scripts = {names[char].partition(" ")[0] for char in name if char.isalpha()}
    # The names of invisible letters and marks.
    is_hidden = re.search("FILLER|JOINER|SELECTOR|INHERENT", str(names))
    # A mark follows a letter that has none at the same place: accents are not stacked.
    is_stacked = any(
        (place := unicodedata.combining(mark))
        and place in map(unicodedata.combining, unicodedata.normalize("NFD", letter))
        for letter, mark in pairwise(name)
    )
    kinds = "".join(unicodedata.category(char)[0] for char in name)
    is_spelled = re.fullmatch(r"(?=.*[LN])(LM?|N|[PZ])*", kinds) and name.isprintable()
    is_clear = len(scripts) <= 1 and not is_hidden and not is_stacked
    if not (is_clear and is_spelled and len(name) <= _MAX_NAME_LENGTH):
        raise InputError(
            f"{text!r} is not a name of 1 to {_MAX_NAME_LENGTH} letters of one script, digits, "
            "punctuation and spaces"
        )
    return name


def _manage(options: Namespace) -> None:
    """Make a token or delete a player, and print what was done."""
    is_token = options.action == "token"
    name = _name(options.name) if is_token else options.name.strip()
    if not (is_token or os.path.isfile(options.db)):
        raise InputError(f"--db: there is no file {options.db}")
    try:
        with closing(open_database(options.db)) as connection, transaction(connection):
            if is_token:
                token = players.make_token()
                players.add_player(connection, name, token, options.replace)
                # Shown before it is stored, so that none is stored unseen.
                print(token, flush=True)
                print(f"the access token of {name}; only its hash is stored", file=sys.stderr)
            elif not players.delete_player(connection, name):
                raise InputError(f"there is no player {name!r}")
        if not is_token:
            print(f"{name} and its games are deleted")
    except sqlite3.IntegrityError as error:
        raise InputError(f"player {name!r} exists; --replace creates a new token") from error
    except sqlite3.Error as error:
        raise InputError(f"--db: {options.db} cannot be used ({error})") from error


def _find_address(host: str, port: int) -> tuple[str, int]:
    """Return the IP address and the port, a free one for 0; InputError if it cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.create_server((host, port), family=family) as listener:
            return listener.getsockname()[:2]
    except (OSError, UnicodeError) as error:
        reason = str(error.strerror) if isinstance(error, OSError) else "not the name of a host"
        # Python appends the address.
        reason = reason.partition(" (while")[0]
        raise InputError(f"--host, --port: cannot listen on {host}:{port} ({reason})") from error
