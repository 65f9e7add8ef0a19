"""Players on the command line: tokens made, replaced and revoked, players listed and deleted."""

from __future__ import annotations

import time

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from envs.errors import InputError
from server import players, store
from server.database import cause, open_engine
from server.tokens import hash_token, make_token


def manage(action: str, name: str | None, url: str) -> list[str]:
    """Change or list players; return lines for the user. A server that runs notices in a second.

    Parameters
    ----------
    action : {"token", "replace", "list", "revoke", "delete"}
    name : str or None
        None to list.
    url : str
        Of the database.

    Raises
    ------
    InputError
        If it cannot be done.
    """
    if action == "list" and name is not None:
        raise InputError("player list: it takes no NAME")
    if action in ("revoke", "delete") and name is None:
        raise InputError(f"player {action}: the NAME of a player is expected")
    if action in ("token", "replace"):
        name = _check_name(name)
    engine = open_engine(url)
    try:
        with engine.begin() as connection:
            lines = _run(connection, action, name)
    except SQLAlchemyError as error:
        raise InputError(f"--db: {action} failed ({cause(error)})") from error
    finally:
        engine.dispose()
    if action not in ("token", "list"):
        # From here on a server that runs refuses the old token.
        time.sleep(players.SECONDS_KNOWN)
    return lines


def _run(connection: Connection, action: str, name: str | None) -> list[str]:
    if action == "list":
        return _list_players(connection)
    if action == "delete":
        if not store.delete_player(connection, name):
            raise InputError(f"player delete: there is no player {name!r}")
        return [f"{name} and its games are deleted"]
    token = make_token()
    if action == "token":
        try:
            store.add_player(connection, name, hash_token(token))
        except IntegrityError as error:
            raise InputError(
                f"token: there is a player {name!r} already; --replace makes another token"
            ) from error
    elif not store.replace_token(connection, name, hash_token(token)):
        if action == "revoke":
            raise InputError(f"player revoke: there is no player {name!r}")
        raise InputError(f"token: there is no player {name!r} whose token to replace")
    if action == "revoke":
        # The new one is nobody's.
        how = f"token {name} --replace makes another"
        return [f"the token of {name} is worthless; its games stay ({how})"]
    return ["Keep it: only its hash is stored.", f"access token of {name}: {token}"]


def _check_name(name: str) -> str:
    stripped = name.strip()
    if not 1 <= len(stripped) <= store.MAX_NAME_LENGTH or not stripped.isprintable():
        raise InputError(
            f"token: {name!r} is not a name of 1 to {store.MAX_NAME_LENGTH} printable characters"
        )
    return stripped


def _list_players(connection: Connection) -> list[str]:
    lines = [
        f"{player.name}: {player.games:,} recorded games, {player.wins:,} won, "
        f"{player.unfinished:,} open, {player.hinted:,} with hints"
        for player in store.list_players(connection)
    ]
    return [*lines, f"{len(lines):,} players, {store.count_guests(connection):,} guests"]
