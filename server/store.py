"""Statements on the tables of players, games and guesses (``schema.sql``).

Each function takes a connection of :mod:`server.database`, so that several of them can share a
transaction.
"""

from __future__ import annotations

import secrets
from sqlite3 import Connection, IntegrityError
from time import time
from typing import NamedTuple

from hangman_lab.envs.hangman.game import Game
from hangman_lab.server.game import PlayerGame

MAX_NAME_LENGTH = 64
MAX_KEY_LENGTH = 128


class Player(NamedTuple):
    """Whose a token is; guests have no name."""

    id: int
    name: str | None

    @property
    def is_guest(self) -> bool:
        """Whether it is a guest, who plays practice games alone."""
        return self.name is None


class GameCounts(NamedTuple):
    """The games of a player: those begun (runs), won, and open."""

    practice_runs: int
    practice_successes: int
    practice_open: int
    recorded_runs: int
    recorded_successes: int
    recorded_open: int

    @property
    def open_games(self) -> int:
        """Open games of both kinds."""
        return self.practice_open + self.recorded_open


class RecordedCount(NamedTuple):
    """The recorded games of one player, all or those with words of one length.

    ``wins`` are those without a hint; ``hinted_wins`` are apart.
    """

    name: str
    games: int
    wins: int
    unfinished: int
    hinted: int
    hinted_wins: int
    length: int | None = None


def load_draw_key(connection: Connection) -> bytes:
    """Return the secret that draws words, which is made once and stays the same at every start."""
    connection.execute("INSERT OR IGNORE INTO server_state VALUES (1, ?)", (secrets.token_hex(32),))
    return bytes.fromhex(_scalar(connection, "SELECT draw_key FROM server_state"))


def check_tables(connection: Connection) -> None:
    """Read a row; raise sqlite3.Error if the database cannot be read."""
    _scalar(connection, "SELECT id FROM server_state")


def add_player(connection: Connection, name: str | None, token_hash: str) -> int:
    """Store a player, a guest without a name, and return its number."""
    statement = "INSERT INTO players (name, token_hash, seen_at) VALUES (?, ?, ?)"
    return connection.execute(statement, (name, token_hash, time())).lastrowid


def find_player(connection: Connection, token_hash: str) -> Player | None:
    """Return the player whose token has this hash."""
    statement = "SELECT id, name FROM players WHERE token_hash = ?"
    row = connection.execute(statement, (token_hash,)).fetchone()
    return row and Player(*row)


def replace_token(connection: Connection, name: str, token_hash: str) -> bool:
    """Give a player another token; return whether there is such a player."""
    statement = "UPDATE players SET token_hash = ? WHERE name = ?"
    return connection.execute(statement, (token_hash, name)).rowcount == 1


def delete_player(connection: Connection, name: str) -> bool:
    """Delete a player with all games; return whether there was such a player."""
    return connection.execute("DELETE FROM players WHERE name = ?", (name,)).rowcount == 1


def count_guests(connection: Connection) -> int:
    """Return the number of guests."""
    return _scalar(connection, "SELECT COUNT(*) FROM players WHERE name IS NULL")


def list_least_used_guests(connection: Connection, most: int, seen_since: float) -> list[int]:
    """Return the guests above a number: those with the fewest games, then the longest unseen.

    Guests that began a game since ``seen_since``, or were made since then, come last.
    """
    rows = connection.execute(
        "SELECT id FROM players WHERE name IS NULL ORDER BY seen_at > ?, practice_games, seen_at "
        "LIMIT ?",
        (seen_since, max(0, count_guests(connection) - most)),
    )
    return [player_id for (player_id,) in rows]


def forget_guest(connection: Connection, player_id: int, most_games: int) -> bool:
    """Delete a guest with its games, or this many games if it has more; return whether it is gone.

    So no other write waits long for it.
    """
    deleted = connection.execute(
        "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE player_id = ? LIMIT ?)",
        (player_id, most_games),
    )
    if deleted.rowcount == most_games:
        return False
    connection.execute("DELETE FROM players WHERE id = ?", (player_id,))
    return True


def delete_practice_games(connection: Connection, begun_before: float, most_games: int) -> bool:
    """Delete old practice games, this many at most; return whether all are gone."""
    deleted = connection.execute(
        "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE NOT recorded "
        "AND created_at < ? LIMIT ?) RETURNING player_id, status",
        (begun_before, most_games),
    ).fetchall()
    connection.executemany(
        "UPDATE players SET practice_open = practice_open - 1 WHERE id = ?",
        [(player_id,) for player_id, status in deleted if status == "ongoing"],
    )
    return len(deleted) < most_games


def count_games(connection: Connection, player_id: int) -> GameCounts | None:
    """Return how many games a player has; None if there is no such player."""
    row = connection.execute(
        "SELECT practice_games, practice_wins, practice_open, recorded_games, recorded_wins, "
        "recorded_open FROM players WHERE id = ?",
        (player_id,),
    ).fetchone()
    return row and GameCounts(*row)


def list_recorded_words(connection: Connection, player_id: int) -> set[str]:
    """Return the words of a player's recorded games."""
    statement = "SELECT secret FROM games WHERE player_id = ? AND recorded"
    return {secret for (secret,) in connection.execute(statement, (player_id,))}


def add_game(connection: Connection, game: PlayerGame, key: str | None) -> None:
    """Store a game that begins."""
    now, secret, max_wrong = time(), game.hangman.secret, game.hangman.max_wrong
    connection.execute(
        "INSERT INTO games (id, player_id, secret, recorded, max_wrong, withheld, request_key, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (game.game_id, game.player_id, secret, game.recorded, max_wrong, game.withheld, key, now),
    )
    kind = game.kind
    connection.execute(
        f"UPDATE players SET seen_at = ?, {kind}_games = {kind}_games + 1, "
        f"{kind}_open = {kind}_open + 1 WHERE id = ?",
        (now, game.player_id),
    )


def add_guess(connection: Connection, game: PlayerGame) -> None:
    """Store the last guess of a game, and its status after it.

    Raises IntegrityError if the game has a guess of this number or with this letter.
    """
    number = len(game.keys)
    connection.execute(
        "INSERT INTO guesses VALUES (?, ?, ?, ?, ?)",
        (game.game_id, number, game.hangman.guesses[-1], game.keys[-1], time()),
    )
    if game.status != "ongoing":
        end_game(connection, game)


def end_game(connection: Connection, game: PlayerGame) -> None:
    """Store that a game is over, and whether its player gave it up.

    Raises IntegrityError if the game was deleted meanwhile.
    """
    ended = connection.execute(
        "UPDATE games SET status = ?, resigned = ? WHERE id = ?",
        (game.status, game.resigned, game.game_id),
    )
    if not ended.rowcount:
        raise IntegrityError("the game was deleted")
    kind = game.kind
    connection.execute(
        f"UPDATE players SET {kind}_wins = {kind}_wins + ?, {kind}_open = {kind}_open - 1 "
        "WHERE id = ?",
        (game.status == "success", game.player_id),
    )


def mark_hinted(connection: Connection, game: PlayerGame) -> None:
    """Store that the agent gave a hint in a game that had none."""
    connection.execute("UPDATE games SET hinted = 1 WHERE id = ?", (game.game_id,))
    if game.recorded:
        connection.execute(
            "UPDATE players SET recorded_hinted = recorded_hinted + 1 WHERE id = ?",
            (game.player_id,),
        )


def find_game(connection: Connection, game_id: str) -> PlayerGame | None:
    """Return a game with its guesses."""
    row = connection.execute(
        "SELECT player_id, secret, max_wrong, recorded, withheld, resigned, hinted FROM games "
        "WHERE id = ?",
        (game_id,),
    ).fetchone()
    if row is None:
        return None
    player_id, secret, max_wrong, *flags = row
    statement = "SELECT letter, request_key FROM guesses WHERE game_id = ? ORDER BY number"
    played = connection.execute(statement, (game_id,)).fetchall()
    hangman = Game(secret, max_wrong, "".join(letter for letter, _ in played))
    return PlayerGame(game_id, player_id, hangman, [key for _, key in played], *map(bool, flags))


def find_game_by_key(connection: Connection, player_id: int, key: str) -> str | None:
    """Return the id of the game that a player began by a request with this key."""
    statement = "SELECT id FROM games WHERE player_id = ? AND request_key = ?"
    return _scalar(connection, statement, player_id, key)


def list_open_games(connection: Connection, player_id: int, limit: int) -> list[str]:
    """Return the ids of a player's open games, the oldest first."""
    rows = connection.execute(
        "SELECT id FROM games WHERE player_id = ? AND status = 'ongoing' "
        "ORDER BY created_at, id LIMIT ?",
        (player_id, limit),
    )
    return [game_id for (game_id,) in rows]


def list_players(connection: Connection) -> list[RecordedCount]:
    """Return the recorded games of all players but guests, by name."""
    rows = connection.execute(
        "SELECT name, recorded_games, recorded_wins - COUNT(games.id), recorded_open, "
        "recorded_hinted, COUNT(games.id) FROM players LEFT JOIN games "
        "ON player_id = players.id AND recorded AND hinted AND status = 'success' "
        "WHERE name IS NOT NULL GROUP BY name ORDER BY name"
    )
    return [RecordedCount(*row) for row in rows]


def count_by_length(connection: Connection, name: str) -> list[RecordedCount]:
    """Count the recorded games of a player by the length of the secret."""
    rows = connection.execute(
        "SELECT name, COUNT(*), SUM(status = 'success' AND NOT hinted), SUM(status = 'ongoing'), "
        "SUM(hinted), SUM(status = 'success' AND hinted), LENGTH(secret) "
        "FROM games JOIN players ON players.id = player_id "
        "WHERE recorded AND name = ? GROUP BY LENGTH(secret) ORDER BY LENGTH(secret)",
        (name,),
    )
    return [RecordedCount(*row) for row in rows]


def _scalar(connection: Connection, statement: str, *values: object) -> object:
    """Return the first column of the first row, None without a row."""
    row = connection.execute(statement, values).fetchone()
    return row and row[0]
