"""The command ``serve.py``, which serves games or manages players."""

from __future__ import annotations

import socket
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Literal

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    CliApp,
    CliImplicitFlag,
    CliPositionalArg,
    CliSettingsSource,
    CliSubCommand,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    get_subcommand,
)

from hangman_lab.envs.errors import InputError
from hangman_lab.server import players
from hangman_lab.server.database import open_database, transaction
from hangman_lab.server.players import hash_token, make_token
from hangman_lab.server.settings import Settings
from hangman_lab.terminal.arguments import CommandParser, command_main, program

_MAX_NAME_LENGTH = 64


class Token(BaseModel):
    """Make the access token of a player. It is printed only once."""

    name: CliPositionalArg[str] = Field(description="name on the leaderboard")
    replace: CliImplicitFlag[bool] = Field(False, description="replace the present token")
    db: str | None = Field(None, description="the file of the database")

    def run(self, connection: sqlite3.Connection) -> list[str]:
        """Store the hash of a new token; return lines to print."""
        name, token = self.name.strip(), make_token()
        if not 1 <= len(name) <= _MAX_NAME_LENGTH or not name.isprintable():
            longest = f"{_MAX_NAME_LENGTH} printable characters"
            raise InputError(f"token: {name!r} is not a name of 1 to {longest}")
        store_token = players.replace_token if self.replace else players.add_player
        try:
            if not store_token(connection, name, hash_token(token)):
                raise InputError(f"token: there is no player {name!r} whose token to replace")
        except sqlite3.IntegrityError as error:
            message = f"token: there is a player {name!r} already; --replace makes another token"
            raise InputError(message) from error
        return ["Keep it: only its hash is stored.", f"access token of {name}: {token}"]


class ManagePlayers(BaseModel):
    """List players, make the token of a player worthless, or delete one."""

    action: CliPositionalArg[Literal["list", "revoke", "delete"]]
    name: CliPositionalArg[str | None] = Field(None, description="not for list")
    db: str | None = Field(None, description="the file of the database")

    def run(self, connection: sqlite3.Connection) -> list[str]:
        """Run the action; return lines to print."""
        if self.action == "list":
            if self.name is not None:
                raise InputError("player list: no NAME is expected")
            lines = [
                f"{player['name']}: {player['games']:,} recorded games, {player['wins']:,} won, "
                f"{player['unfinished']:,} open, {player['hinted']:,} with hints"
                for player in players.list_players(connection)
            ]
            statement = "SELECT COUNT(*) FROM players WHERE name IS NULL"
            (guests,) = connection.execute(statement).fetchone()
            return [*lines, f"{len(lines):,} players, {guests:,} guests"]
        if self.name is None:
            raise InputError(f"player {self.action}: the NAME of a player is expected")
        if self.action == "revoke":
            # Nobody has the new token.
            found = players.replace_token(connection, self.name, hash_token(make_token()))
            done = f"the token of {self.name} is worthless; its games stay"
        else:
            statement = "DELETE FROM players WHERE name = ?"
            found = connection.execute(statement, (self.name,)).rowcount == 1
            done = f"{self.name} and its games are deleted"
        if not found:
            raise InputError(f"player {self.action}: there is no player {self.name!r}")
        return [done]


class Command(Settings):
    """Serve games of Hangman to clients and to a web page."""

    token: CliSubCommand[Token] = Field(description="make the token of a player")
    player: CliSubCommand[ManagePlayers] = Field(description="list, revoke or delete players")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *sources: PydanticBaseSettingsSource,
        **named_sources: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read only settings from the environment: HANGMAN_TOKEN is for clients."""
        return init_settings, EnvSettingsSource(Settings)


@command_main("serve")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = read_command(sys.argv[1:] if arguments is None else arguments)
    action = get_subcommand(command, is_required=False)
    if isinstance(action, Token | ManagePlayers):
        print("\n".join(_manage(action, action.db or command.db)))
        return 0
    host, port = _find_address(command.host, command.port)
    # This takes seconds to import, so options are checked first.
    from hangman_lab.server.engine import serve

    serve(host, port, command)
    return 0


def read_command(arguments: Sequence[str]) -> Command:
    """Read the command line and the environment; InputError if a value is invalid."""
    parser = CommandParser(prog=program("serve"), description=Command.__doc__, allow_abbrev=False)
    source: CliSettingsSource = CliSettingsSource(
        Command,
        root_parser=parser,
        cli_kebab_case=True,
        cli_avoid_json=True,
        cli_hide_none_type=True,
        cli_enforce_required=False,
    )
    try:
        return CliApp.run(Command, cli_args=[*arguments], cli_settings_source=source)
    except ValidationError as error:
        first = error.errors()[0]
        name = " ".join(map(str, first["loc"]))
        where = f"--{name.replace('_', '-')}"
        if not any(argument.partition("=")[0] == where for argument in arguments):
            where = f"HANGMAN_{name.upper()}"
        allowed = first["msg"][0].lower() + first["msg"][1:]
        if not isinstance(first["input"], str):
            # A value is missing; the input may contain a token.
            raise InputError(f"{name}: {allowed}") from error
        raise InputError(f"{where}: {first['input']!r} is not allowed ({allowed})") from error


def _manage(action: Token | ManagePlayers, db: str) -> list[str]:
    with closing(open_database(db)) as connection:
        try:
            with transaction(connection):
                lines = action.run(connection)
        except sqlite3.Error as error:
            raise InputError(f"--db: {db} cannot be used ({error})") from error
    # A running server forgets the old token.
    time.sleep(players.SECONDS_KNOWN)
    return lines


def _find_address(host: str, port: int) -> tuple[str, int]:
    """Return the IP address and the port, a free one for 0; InputError if it is not free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.create_server((host, port), family=family) as listener:
            return listener.getsockname()[:2]
    except (OSError, UnicodeError) as error:
        reason = str(error.strerror) if isinstance(error, OSError) else "not the name of a host"
        # Python adds the address.
        reason = reason.partition(" (while")[0]
        message = f"--host, --port: cannot listen on {host}:{port} ({reason})"
        raise InputError(message) from error
