"""The tables of players, games and guesses, and the statements on them.

Each function takes a connection, so that those who write can put several into one transaction.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from envs.encoding import MAX_LENGTH
from server.game import Game, Guess, Status

MAX_NAME_LENGTH = 64
MAX_KEY_LENGTH = 128

metadata = MetaData()

players = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(MAX_NAME_LENGTH), unique=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("is_guest", Boolean, nullable=False),
    # Seconds since 1970.
    Column("seen_at", Float, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("player_id", ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
    Column("secret", String(MAX_LENGTH), nullable=False),
    Column("recorded", Boolean, nullable=False),
    Column("max_wrong", Integer, nullable=False),
    Column("status", String(8), nullable=False),
    Column("resigned", Boolean, nullable=False),
    Column("request_key", String(MAX_KEY_LENGTH)),
    Column("created_at", Float, nullable=False),
    CheckConstraint("status IN ('ongoing', 'success', 'failed')", name="known_status"),
    UniqueConstraint("player_id", "request_key"),
    Index("games_by_player", "player_id", "recorded", "status"),
    Index("games_by_recorded", "recorded"),
)

guesses = Table(
    "guesses",
    metadata,
    Column("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    # From 1, in the order of play.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("letter", String(1), nullable=False),
    Column("request_key", String(MAX_KEY_LENGTH)),
    Column("created_at", Float, nullable=False),
    # No letter counts twice in a game.
    UniqueConstraint("game_id", "letter"),
)

# Made once, because making a statement takes longer than running it.
_INSERT_GAME = insert(games)
_INSERT_GUESS = insert(guesses)


@dataclass(frozen=True)
class StoredPlayer:
    """Who a token belongs to; guests have no name."""

    id: int
    name: str | None
    is_guest: bool


@dataclass(frozen=True)
class Tally:
    """The games of a player.

    Attributes
    ----------
    practice_runs, recorded_runs : int
        Games that were begun.
    practice_successes, recorded_successes : int
    open_games : int
    recorded_words : frozenset of str
        The secrets of the recorded games.
    """

    practice_runs: int
    recorded_runs: int
    practice_successes: int
    recorded_successes: int
    open_games: int
    recorded_words: frozenset[str]


@dataclass(frozen=True)
class RecordedCount:
    """The recorded games of one player with words of one length."""

    name: str
    length: int
    games: int
    wins: int
    unfinished: int


def add_player(connection: Connection, name: str | None, token_hash: str) -> int:
    """Store a player, a guest without a name, and return its number."""
    row = {
        "name": name,
        "token_hash": token_hash,
        "is_guest": name is None,
        "seen_at": time.time(),
    }
    return connection.execute(insert(players).values(row)).inserted_primary_key[0]


def forget_guests(connection: Connection, seen_before: float) -> int:
    """Delete guests, with their games, that began no game since then; return how many."""
    forgotten = players.c.is_guest & (players.c.seen_at < seen_before)
    return connection.execute(delete(players).where(forgotten)).rowcount


def count_guests(connection: Connection) -> int:
    """Return the number of guests."""
    return connection.scalar(select(func.count()).where(players.c.is_guest))


def replace_token(connection: Connection, name: str, token_hash: str) -> bool:
    """Give a player another token; return whether there is such a player."""
    changed = connection.execute(
        update(players).where(players.c.name == name).values(token_hash=token_hash)
    )
    return changed.rowcount == 1


def find_player(connection: Connection, token_hash: str) -> StoredPlayer | None:
    """Return the player whose token has this hash."""
    row = connection.execute(
        select(players.c.id, players.c.name, players.c.is_guest).where(
            players.c.token_hash == token_hash
        )
    ).first()
    return None if row is None else StoredPlayer(row.id, row.name, row.is_guest)


def load_tally(connection: Connection, player_id: int) -> Tally:
    """Count the games of a player."""
    counts: dict[tuple[bool, str], int] = {}
    for recorded, status, count in connection.execute(
        select(games.c.recorded, games.c.status, func.count())
        .where(games.c.player_id == player_id)
        .group_by(games.c.recorded, games.c.status)
    ):
        counts[bool(recorded), status] = count
    words = connection.scalars(
        select(games.c.secret).where(games.c.player_id == player_id, games.c.recorded)
    )

    def total(recorded: bool) -> int:
        return sum(count for (is_recorded, _), count in counts.items() if is_recorded == recorded)

    return Tally(
        practice_runs=total(False),
        recorded_runs=total(True),
        practice_successes=counts.get((False, "success"), 0),
        recorded_successes=counts.get((True, "success"), 0),
        open_games=sum(count for (_, status), count in counts.items() if status == "ongoing"),
        recorded_words=frozenset(words),
    )


def add_game(connection: Connection, game: Game, key: str | None, is_guest: bool) -> None:
    """Store a game that begins.

    Raises
    ------
    sqlalchemy.exc.IntegrityError
        If the player has used the key before.
    """
    now = time.time()
    row = {
        "id": game.game_id,
        "player_id": game.player_id,
        "secret": game.secret,
        "recorded": game.recorded,
        "max_wrong": game.max_wrong,
        "status": "ongoing",
        "resigned": False,
        "request_key": key,
        "created_at": now,
    }
    connection.execute(_INSERT_GAME, row)
    if is_guest:
        connection.execute(
            update(players).where(players.c.id == game.player_id).values(seen_at=now)
        )


def add_guess(
    connection: Connection, game_id: str, number: int, guess: Guess, status: Status
) -> None:
    """Store a guess, and how the game stands after it.

    Raises
    ------
    sqlalchemy.exc.IntegrityError
        If the game has a guess of this number or with this letter.
    """
    row = {
        "game_id": game_id,
        "number": number,
        "letter": guess.letter,
        "request_key": guess.key,
        "created_at": time.time(),
    }
    connection.execute(_INSERT_GUESS, row)
    if status != "ongoing":
        connection.execute(update(games).where(games.c.id == game_id).values(status=status))


def resign_game(connection: Connection, game_id: str) -> None:
    """Store that the player gave a game up."""
    connection.execute(
        update(games).where(games.c.id == game_id).values(status="failed", resigned=True)
    )


def find_game(connection: Connection, game_id: str) -> Game | None:
    """Return a game as it was left."""
    row = connection.execute(select(games).where(games.c.id == game_id)).first()
    if row is None:
        return None
    played = connection.execute(
        select(guesses.c.letter, guesses.c.request_key)
        .where(guesses.c.game_id == game_id)
        .order_by(guesses.c.number)
    )
    return Game(
        game_id=row.id,
        player_id=row.player_id,
        secret=row.secret,
        recorded=row.recorded,
        max_wrong=row.max_wrong,
        guesses=[Guess(letter, key) for letter, key in played],
        resigned=row.resigned,
    )


def find_game_by_key(connection: Connection, player_id: int, key: str) -> str | None:
    """Return the id of the game that a player began by a request with this key."""
    return connection.scalar(
        select(games.c.id).where(games.c.player_id == player_id, games.c.request_key == key)
    )


def list_open_games(connection: Connection, player_id: int, limit: int) -> list[str]:
    """Return the ids of a player's open games, the oldest first."""
    return list(
        connection.scalars(
            select(games.c.id)
            .where(games.c.player_id == player_id, games.c.status == "ongoing")
            .order_by(games.c.created_at, games.c.id)
            .limit(limit)
        )
    )


def count_recorded(connection: Connection) -> list[RecordedCount]:
    """Count the recorded games by player and length of the secret."""
    length = func.length(games.c.secret)

    def how_many(status: str) -> func.sum:
        return func.sum(case((games.c.status == status, 1), else_=0))

    rows = connection.execute(
        select(players.c.name, length, func.count(), how_many("success"), how_many("ongoing"))
        .join(players, players.c.id == games.c.player_id)
        .where(games.c.recorded)
        .group_by(players.c.name, length)
        .order_by(players.c.name, length)
    )
    return [RecordedCount(*row) for row in rows]
