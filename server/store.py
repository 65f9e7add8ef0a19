"""The tables of players, games and guesses, and the statements on them.

A change of a table is also a migration in :mod:`server.migrations`.

Each function takes a connection, so that those who write can put several into one transaction.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa

from envs.encoding import MAX_LENGTH
from envs.hangman.game import Game
from server.game import PlayerGame, Status

MAX_NAME_LENGTH = 64
MAX_KEY_LENGTH = 128

metadata = sa.MetaData()

players = sa.Table(
    "players",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(MAX_NAME_LENGTH), unique=True),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("is_guest", sa.Boolean, nullable=False),
    # Seconds since 1970, as everywhere here.
    sa.Column("seen_at", sa.Float, nullable=False, default=time.time),
    # Of recorded games, kept up with every change so that the leaderboard need not count games.
    sa.Column("recorded_games", sa.Integer, nullable=False, server_default="0"),
    sa.Column("recorded_wins", sa.Integer, nullable=False, server_default="0"),
    sa.Column("recorded_open", sa.Integer, nullable=False, server_default="0"),
    sa.Column("recorded_hinted", sa.Integer, nullable=False, server_default="0"),
    # The number of a guest that was forgotten is never given again.
    sqlite_autoincrement=True,
)

games = sa.Table(
    "games",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("player_id", sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
    sa.Column("secret", sa.String(MAX_LENGTH), nullable=False),
    sa.Column("recorded", sa.Boolean, nullable=False),
    sa.Column("max_wrong", sa.Integer, nullable=False),
    sa.Column("status", sa.String(8), nullable=False, default="ongoing"),
    sa.Column("resigned", sa.Boolean, nullable=False, default=False),
    sa.Column("request_key", sa.String(MAX_KEY_LENGTH)),
    sa.Column("created_at", sa.Float, nullable=False, default=time.time),
    # Whether the agent gave a hint.
    sa.Column("hinted", sa.Boolean, nullable=False, server_default=sa.false()),
    # Whether the word is not told when the game is lost.
    sa.Column("withheld", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.CheckConstraint("status IN ('ongoing', 'success', 'failed')", name="known_status"),
    sa.UniqueConstraint("player_id", "request_key"),
    sa.Index("games_by_player", "player_id", "recorded", "status"),
)

guesses = sa.Table(
    "guesses",
    metadata,
    sa.Column("game_id", sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    # From 1, in the order of play.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("letter", sa.String(1), nullable=False),
    sa.Column("request_key", sa.String(MAX_KEY_LENGTH)),
    sa.Column("created_at", sa.Float, nullable=False, default=time.time),
    # No letter counts twice in a game.
    sa.UniqueConstraint("game_id", "letter"),
)

# One row.
server_state = sa.Table(
    "server_state",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    # Of the server that plays here; the next one changes it.
    sa.Column("generation", sa.String(32), nullable=False),
    # Draws the words of games.
    sa.Column("draw_key", sa.String(64), nullable=False),
)

# Made once, because making a statement takes longer than running it.
_INSERT_GAME = sa.insert(games)
_INSERT_GUESS = sa.insert(guesses)
_SELECT_GENERATION = sa.select(server_state.c.generation).with_for_update(read=True)


@dataclass
class Tally:
    """The games of a player: those begun (runs), won, and open, and the recorded secrets."""

    practice_runs: int = 0
    recorded_runs: int = 0
    practice_successes: int = 0
    recorded_successes: int = 0
    open_games: int = 0
    open_recorded: int = 0
    recorded_words: set[str] = field(default_factory=set)

    def add(self, recorded: bool, status: Status, count: int = 1) -> None:
        """Count games of one kind that stand alike; a negative count takes them away."""
        won, still_open = count * (status == "success"), count * (status == "ongoing")
        self.open_games += still_open
        if recorded:
            self.recorded_runs += count
            self.recorded_successes += won
            self.open_recorded += still_open
        else:
            self.practice_runs += count
            self.practice_successes += won

    def end(self, recorded: bool, status: Status) -> None:
        """Count a game that has ended."""
        self.add(recorded, "ongoing", -1)
        self.add(recorded, status)


class RecordedCount(NamedTuple):
    """The recorded games of one player, all or those with words of one length."""

    name: str
    games: int
    wins: int
    unfinished: int
    hinted: int
    length: int | None = None


def claim(connection: sa.Connection) -> tuple[str, bytes]:
    """Begin to play in the database, which ends any other server's right to.

    Returns the generation, which :func:`find_generation` returns as long as no other server begins,
    and the server's own secret, the same at every start, which draws words.
    """
    generation = secrets.token_hex(16)
    changed = connection.execute(sa.update(server_state).values(generation=generation))
    if not changed.rowcount:
        row = {"id": 1, "generation": generation, "draw_key": secrets.token_hex(32)}
        connection.execute(sa.insert(server_state).values(row))
    return generation, bytes.fromhex(connection.scalar(sa.select(server_state.c.draw_key)))


def find_generation(connection: sa.Connection) -> str | None:
    """Return the generation, held until the end of the transaction."""
    return connection.scalar(_SELECT_GENERATION)


def add_player(connection: sa.Connection, name: str | None, token_hash: str) -> int:
    """Store a player, a guest without a name, and return its number."""
    row = {"name": name, "token_hash": token_hash, "is_guest": name is None}
    return connection.execute(sa.insert(players).values(row)).inserted_primary_key[0]


def forget_guests(connection: sa.Connection, seen_before: float, unused_before: float) -> list[int]:
    """Delete guests, with their games; return their numbers.

    Guests go that began no game since ``seen_before``, and those that were made before
    ``unused_before`` and never began one.
    """
    played = sa.exists().where(games.c.player_id == players.c.id)
    forgotten = players.c.is_guest & (
        (players.c.seen_at < seen_before) | ((players.c.seen_at < unused_before) & ~played)
    )
    numbers = list(connection.scalars(sa.select(players.c.id).where(forgotten)))
    connection.execute(sa.delete(players).where(forgotten))
    return numbers


def count_guests(connection: sa.Connection) -> int:
    """Return the number of guests."""
    return connection.scalar(sa.select(sa.func.count()).where(players.c.is_guest))


def replace_token(connection: sa.Connection, name: str, token_hash: str) -> bool:
    """Give a player another token; return whether there is such a player."""
    changed = sa.update(players).where(players.c.name == name).values(token_hash=token_hash)
    return connection.execute(changed).rowcount == 1


def delete_player(connection: sa.Connection, name: str) -> bool:
    """Delete a player with all games; return whether there was such a player."""
    return connection.execute(sa.delete(players).where(players.c.name == name)).rowcount == 1


def find_player(connection: sa.Connection, token_hash: str) -> sa.Row | None:
    """Return whose token has this hash: ``id``, ``name`` (None for guests) and ``is_guest``."""
    columns = players.c.id, players.c.name, players.c.is_guest
    return connection.execute(sa.select(*columns).where(players.c.token_hash == token_hash)).first()


def load_tally(connection: sa.Connection, player_id: int) -> Tally:
    """Count the games of a player."""
    tally = Tally()
    for recorded, status, count in connection.execute(
        sa.select(games.c.recorded, games.c.status, sa.func.count())
        .where(games.c.player_id == player_id)
        .group_by(games.c.recorded, games.c.status)
    ):
        tally.add(recorded, status, count)
    secrets_of = sa.select(games.c.secret).where(games.c.player_id == player_id, games.c.recorded)
    tally.recorded_words.update(connection.scalars(secrets_of))
    return tally


def add_game(connection: sa.Connection, game: PlayerGame, key: str | None, is_guest: bool) -> None:
    """Store a game that begins; raise IntegrityError if the player has used the key before."""
    row = {
        "id": game.game_id,
        "player_id": game.player_id,
        "secret": game.hangman.secret,
        "recorded": game.recorded,
        "max_wrong": game.hangman.max_wrong,
        "request_key": key,
        "withheld": game.withheld,
    }
    connection.execute(_INSERT_GAME, row)
    if game.recorded:
        _count_recorded(connection, game.player_id, recorded_games=1, recorded_open=1)
    if is_guest:
        _update_player(connection, game.player_id, seen_at=time.time())


def add_guess(connection: sa.Connection, game: PlayerGame) -> None:
    """Store the last guess of a game, and how the game stands after it.

    Raises IntegrityError if the game has a guess of this number or with this letter.
    """
    row = {
        "game_id": game.game_id,
        "number": len(game.keys),
        "letter": game.hangman.guesses[-1],
        "request_key": game.keys[-1],
    }
    connection.execute(_INSERT_GUESS, row)
    if game.status != "ongoing":
        _end_game(connection, game)


def resign_game(connection: sa.Connection, game: PlayerGame) -> None:
    """Store that the player gave a game up."""
    _end_game(connection, game, resigned=True)


def mark_hinted(connection: sa.Connection, game: PlayerGame) -> None:
    """Store that the agent gave a hint in a game that had none."""
    _update_game(connection, game, hinted=True)
    if game.recorded:
        _count_recorded(connection, game.player_id, recorded_hinted=1)


def _end_game(connection: sa.Connection, game: PlayerGame, **values: Any) -> None:
    _update_game(connection, game, status=game.status, **values)
    if game.recorded:
        won = int(game.status == "success")
        _count_recorded(connection, game.player_id, recorded_wins=won, recorded_open=-1)


def _update_game(connection: sa.Connection, game: PlayerGame, **values: Any) -> None:
    connection.execute(sa.update(games).where(games.c.id == game.game_id).values(values))


def _count_recorded(connection: sa.Connection, player_id: int, **changes: int) -> None:
    counts = {name: players.c[name] + change for name, change in changes.items()}
    _update_player(connection, player_id, **counts)


def _update_player(connection: sa.Connection, player_id: int, **values: Any) -> None:
    connection.execute(sa.update(players).where(players.c.id == player_id).values(values))


def find_game(connection: sa.Connection, game_id: str) -> PlayerGame | None:
    """Return a game as it was left."""
    row = connection.execute(sa.select(games).where(games.c.id == game_id)).first()
    if row is None:
        return None
    played = connection.execute(
        sa.select(guesses.c.letter, guesses.c.request_key)
        .where(guesses.c.game_id == game_id)
        .order_by(guesses.c.number)
    ).all()
    return PlayerGame(
        game_id=row.id,
        player_id=row.player_id,
        recorded=row.recorded,
        hangman=Game(row.secret, row.max_wrong, "".join(letter for letter, _ in played)),
        keys=[key for _, key in played],
        withheld=row.withheld,
        resigned=row.resigned,
        hinted=row.hinted,
    )


def find_game_by_key(connection: sa.Connection, player_id: int, key: str) -> str | None:
    """Return the id of the game that a player began by a request with this key."""
    return connection.scalar(
        sa.select(games.c.id).where(games.c.player_id == player_id, games.c.request_key == key)
    )


def list_open_games(connection: sa.Connection, player_id: int, limit: int) -> list[str]:
    """Return the ids of a player's open games, the oldest first."""
    still_open = sa.select(games.c.id).where(
        games.c.player_id == player_id, games.c.status == "ongoing"
    )
    return list(
        connection.scalars(still_open.order_by(games.c.created_at, games.c.id).limit(limit))
    )


def list_standings(connection: sa.Connection) -> list[RecordedCount]:
    """Return the recorded games of each player that has some."""
    return _list_counts(connection, players.c.recorded_games > 0)


def list_players(connection: sa.Connection) -> list[RecordedCount]:
    """Return the recorded games of all players but guests, by name."""
    return _list_counts(connection, ~players.c.is_guest)


def _list_counts(connection: sa.Connection, which: sa.ColumnElement[bool]) -> list[RecordedCount]:
    names = ("name", "recorded_games", "recorded_wins", "recorded_open", "recorded_hinted")
    columns = [players.c[name] for name in names]
    rows = connection.execute(sa.select(*columns).where(which).order_by(players.c.name))
    return [RecordedCount(*row) for row in rows]


def count_by_length(connection: sa.Connection, name: str) -> list[RecordedCount]:
    """Count the recorded games of a player by the length of the secret."""
    length = sa.func.length(games.c.secret)

    def how_many(condition: sa.ColumnElement[bool]) -> sa.func.sum:
        return sa.func.sum(sa.case((condition, 1), else_=0))

    rows = connection.execute(
        sa.select(
            players.c.name,
            sa.func.count(),
            how_many(games.c.status == "success"),
            how_many(games.c.status == "ongoing"),
            how_many(games.c.hinted),
            length,
        )
        .join(players, players.c.id == games.c.player_id)
        .where(games.c.recorded, players.c.name == name)
        .group_by(players.c.name, length)
        .order_by(length)
    )
    return [RecordedCount(*row) for row in rows]
