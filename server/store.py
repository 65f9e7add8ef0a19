"""Players and games as they are stored, and the statements on the tables of ``schema.sql``."""

from __future__ import annotations

import asyncio
import math
import secrets
from dataclasses import dataclass, field, replace
from functools import cached_property
from sqlite3 import Connection, IntegrityError
from statistics import NormalDist
from time import time
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field, computed_field

from hangman_lab.envs.hangman.game import Game

MAX_NAME_LENGTH = 64
MAX_KEY_LENGTH = 128
Status = Literal["ongoing", "success", "failed"]
# Standard errors of a 95% interval.
_Z = NormalDist().inv_cdf(0.975)


class Player(NamedTuple):
    """A player; guests have no name."""

    id: int
    name: str | None

    @property
    def is_guest(self) -> bool:
        """Guests play only practice games."""
        return self.name is None


class GameAnswer(BaseModel):
    """The state of a game."""

    game_id: str
    recorded: bool
    status: Status
    word: str = Field(pattern="^[a-z_]+$", description="_ for each hidden letter")
    tries_remains: int = Field(ge=0)
    guesses: str = Field(pattern="^[a-z]*$", description="the letters in order")
    wrong: str = Field(pattern="^[a-z]*$", description="those that are not in the word")
    resigned: bool
    hinted: bool = Field(description="whether the agent gave a hint")
    secret: str | None = Field(description="null before the end, and for withheld words")


@dataclass(eq=False)
class PlayerGame:
    """A game with what is stored of it."""

    game_id: str
    player_id: int
    hangman: Game
    keys: list[str | None] = field(default_factory=list)  # idempotency keys of the guesses
    recorded: bool = False
    withheld: bool = False  # the word of a lost game is not revealed
    resigned: bool = False
    hinted: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # of the request that plays it

    @property
    def kind(self) -> Literal["recorded", "practice"]:
        """Recorded games count on the leaderboard."""
        return "recorded" if self.recorded else "practice"

    @property
    def status(self) -> Status:
        """The status of the game."""
        if self.hangman.won:
            return "success"
        return "failed" if self.resigned or self.hangman.over else "ongoing"

    def answer(self) -> GameAnswer:
        """Return what the player may know: the secret only after the end."""
        status, game = self.status, self.hangman
        tells = status == "success" or (status == "failed" and not self.withheld)
        return GameAnswer(
            game_id=self.game_id,
            recorded=self.recorded,
            status=status,
            word=game.word,
            tries_remains=game.lives,
            guesses=game.guesses,
            wrong=game.wrong_letters,
            resigned=self.resigned,
            hinted=self.hinted,
            secret=game.secret if tells else None,
        )

    def answer_after(self, number: int) -> GameAnswer:
        """Return the state after ``number`` guesses."""
        game = self.hangman
        earlier = Game(game.secret, game.max_wrong, game.guesses[:number])
        return replace(self, hangman=earlier, resigned=False).answer()


class GameCounts(BaseModel):
    """The games of a player: begun (runs), won, and open."""

    name: str | None = Field(description="null for a guest")
    practice_runs: int = Field(ge=0)
    practice_successes: int = Field(ge=0)
    recorded_runs: int = Field(ge=0)
    recorded_successes: int = Field(ge=0)
    open_games: int = Field(ge=0)
    recorded_open: int = Field(exclude=True)


class WinRate(BaseModel):
    """Recorded games won without a hint, with the 95% Wilson interval of their rate."""

    games: int = Field(ge=0, description="recorded games begun")
    wins: int = Field(ge=0, description="games won without a hint")
    unfinished: int = Field(ge=0, description="open games; they count as not won")
    hinted: int = Field(ge=0, description="games with a hint; they count as not won")
    hinted_wins: int = Field(ge=0, description="games won with a hint")

    @computed_field
    @property
    def win_rate(self) -> float:
        """Wins per game, from 0 to 1."""
        return self.wins / max(1, self.games)

    @computed_field
    @cached_property
    def ci95(self) -> tuple[float, float]:
        """The interval; (0, 1) without games."""
        # scipy is a thousand times slower.
        wins, games, square = self.wins, self.games, _Z * _Z
        if not games:
            return 0.0, 1.0
        centre = (wins + square / 2) / (games + square)
        half = _Z / (games + square) * math.sqrt(wins * (games - wins) / games + square / 4)
        return centre - half if wins else 0.0, centre + half if wins < games else 1.0


class Row(WinRate):
    """The recorded games of a player."""

    rank: int | None = Field(None, ge=1, description="null with too few games; ties share a rank")
    name: str


def load_draw_key(connection: Connection) -> bytes:
    """Return the secret that draws words, made once per database."""
    connection.execute("INSERT OR IGNORE INTO server_state VALUES (1, ?)", (secrets.token_hex(32),))
    return bytes.fromhex(_scalar(connection, "SELECT draw_key FROM server_state"))


def check_tables(connection: Connection) -> None:
    """Read a row; raise sqlite3.Error if the database cannot be read."""
    _scalar(connection, "SELECT id FROM server_state")


def add_player(connection: Connection, name: str | None, token_hash: str) -> int:
    """Store a player, or a guest if the name is None; return its id."""
    statement = "INSERT INTO players (name, token_hash, seen_at) VALUES (?, ?, ?)"
    return connection.execute(statement, (name, token_hash, time())).lastrowid


def find_player(connection: Connection, token_hash: str) -> Player | None:
    """Return the player whose token has this hash."""
    statement = "SELECT id, name FROM players WHERE token_hash = ?"
    row = connection.execute(statement, (token_hash,)).fetchone()
    return row and Player(*row)


def replace_token(connection: Connection, name: str, token_hash: str) -> bool:
    """Replace the token of a player; return whether the player exists."""
    statement = "UPDATE players SET token_hash = ? WHERE name = ?"
    return connection.execute(statement, (token_hash, name)).rowcount == 1


def delete_player(connection: Connection, name: str) -> bool:
    """Delete a player with all games; return whether the player existed."""
    return connection.execute("DELETE FROM players WHERE name = ?", (name,)).rowcount == 1


def count_guests(connection: Connection) -> int:
    """Return the number of guests."""
    return _scalar(connection, "SELECT COUNT(*) FROM players WHERE name IS NULL")


def list_least_used_guests(connection: Connection, most: int, seen_since: float) -> list[int]:
    """Return the guests in excess of ``most``: those long unseen, with few games come first."""
    rows = connection.execute(
        "SELECT id FROM players WHERE name IS NULL ORDER BY seen_at > ?, practice_games, seen_at "
        "LIMIT ?",
        (seen_since, max(0, count_guests(connection) - most)),
    )
    return [player_id for (player_id,) in rows]


def forget_guest(connection: Connection, player_id: int, most_games: int) -> bool:
    """Delete a guest's games, ``most_games`` at most, then the guest; return whether it is gone."""
    statement = "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE player_id = ? LIMIT ?)"
    if connection.execute(statement, (player_id, most_games)).rowcount == most_games:
        return False
    connection.execute("DELETE FROM players WHERE id = ?", (player_id,))
    return True


def delete_practice_games(connection: Connection, begun_before: float, most_games: int) -> bool:
    """Delete old practice games, ``most_games`` at most; return whether all are gone."""
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
    """Count the games of a player; None if there is no such player."""
    row = connection.execute(
        "SELECT name, practice_games AS practice_runs, practice_wins AS practice_successes, "
        "recorded_games AS recorded_runs, recorded_wins AS recorded_successes, "
        "practice_open + recorded_open AS open_games, recorded_open FROM players WHERE id = ?",
        (player_id,),
    ).fetchone()
    return row and GameCounts(**row)


def list_recorded_words(connection: Connection, player_id: int) -> set[str]:
    """Return the words of a player's recorded games."""
    statement = "SELECT secret FROM games WHERE player_id = ? AND recorded"
    return {secret for (secret,) in connection.execute(statement, (player_id,))}


def add_game(connection: Connection, game: PlayerGame, key: str | None) -> None:
    """Store a new game."""
    now, kind, hangman = time(), game.kind, game.hangman
    values = game.game_id, game.player_id, hangman.secret, hangman.max_wrong, game.recorded
    connection.execute(
        "INSERT INTO games (id, player_id, secret, max_wrong, recorded, withheld, request_key, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, game.withheld, key, now),
    )
    connection.execute(
        f"UPDATE players SET seen_at = ?, {kind}_games = {kind}_games + 1, "
        f"{kind}_open = {kind}_open + 1 WHERE id = ?",
        (now, game.player_id),
    )


def add_guess(connection: Connection, game: PlayerGame) -> None:
    """Store the last guess of a game; IntegrityError if it has its number or letter already."""
    values = game.game_id, len(game.keys), game.hangman.guesses[-1], game.keys[-1], time()
    connection.execute("INSERT INTO guesses VALUES (?, ?, ?, ?, ?)", values)
    if game.status != "ongoing":
        end_game(connection, game)


def end_game(connection: Connection, game: PlayerGame) -> None:
    """Store the end of a game; IntegrityError if the game was deleted."""
    statement = "UPDATE games SET status = ?, resigned = ? WHERE id = ?"
    values = game.status, game.resigned, game.game_id
    if not connection.execute(statement, values).rowcount:
        raise IntegrityError("the game was deleted")
    kind = game.kind
    connection.execute(
        f"UPDATE players SET {kind}_wins = {kind}_wins + ?, {kind}_open = {kind}_open - 1 "
        "WHERE id = ?",
        (game.status == "success", game.player_id),
    )


def mark_hinted(connection: Connection, game: PlayerGame) -> None:
    """Store that a game has a hint."""
    connection.execute("UPDATE games SET hinted = 1 WHERE id = ?", (game.game_id,))
    statement = "UPDATE players SET recorded_hinted = recorded_hinted + ? WHERE id = ?"
    connection.execute(statement, (game.recorded, game.player_id))


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
    """Return the id of the game that a player began with this key."""
    statement = "SELECT id FROM games WHERE player_id = ? AND request_key = ?"
    return _scalar(connection, statement, player_id, key)


def list_open_games(connection: Connection, player_id: int, limit: int) -> list[str]:
    """Return the ids of a player's open games, oldest first."""
    rows = connection.execute(
        "SELECT id FROM games WHERE player_id = ? AND status = 'ongoing' "
        "ORDER BY created_at, id LIMIT ?",
        (player_id, limit),
    )
    return [game_id for (game_id,) in rows]


def list_players(connection: Connection) -> list[Row]:
    """Return the recorded games of all players but guests, by name."""
    rows = connection.execute(
        "SELECT name, recorded_games AS games, recorded_wins - COUNT(games.id) AS wins, "
        "recorded_open AS unfinished, recorded_hinted AS hinted, COUNT(games.id) AS hinted_wins "
        "FROM players LEFT JOIN games "
        "ON player_id = players.id AND recorded AND hinted AND status = 'success' "
        "WHERE name IS NOT NULL GROUP BY name ORDER BY name"
    )
    return [Row(**row) for row in rows]


def count_by_length(connection: Connection, name: str) -> dict[str, WinRate]:
    """Count the recorded games of a player by the length of the secret."""
    rows = connection.execute(
        "SELECT LENGTH(secret) AS length, COUNT(*) AS games, SUM(hinted) AS hinted, "
        "SUM(status = 'success' AND NOT hinted) AS wins, SUM(status = 'ongoing') AS unfinished, "
        "SUM(status = 'success' AND hinted) AS hinted_wins "
        "FROM games JOIN players ON players.id = player_id "
        "WHERE recorded AND name = ? GROUP BY length ORDER BY length",
        (name,),
    )
    return {str(row["length"]): WinRate(**row) for row in rows}


def _scalar(connection: Connection, statement: str, *values: object) -> object:
    row = connection.execute(statement, values).fetchone()
    return row and row[0]
