"""The games of players: a function per request, which runs in one transaction."""

from __future__ import annotations

import math
import secrets
import time
from sqlite3 import Connection, Row
from typing import Literal

from pydantic import BaseModel, Field

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.server.errors import RequestError
from hangman_lab.server.players import Player
from hangman_lab.server.served_words import ServedWords, draw_word
from hangman_lab.server.settings import Settings

Status = Literal["ongoing", "success", "failed"]
# Limits per player.
_MAX_PRACTICE = 100_000
_MAX_OPEN = 1_000
_MAX_OPEN_OF_GUEST = 20
_MAX_LISTED = 100
_DELETED_AT_ONCE = 10
# Begins the keys of the word of the day; keys of clients have no spaces.
_DAY = "day "
_DAY_SECONDS = 86_400


class NewGame(BaseModel, extra="forbid"):
    """The kind of a new game, by default a practice game."""

    recorded: bool = False
    daily: bool = Field(False, description="the word of the day (UTC), the same for all players")


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
    day: str | None = Field(description="YYYY-MM-DD for a word of the day, else null")
    secret: str | None = Field(description="null before the end, and for withheld words")


class DayAnswer(BaseModel):
    """The finished games of the word of the day (UTC)."""

    date: str = Field(description="YYYY-MM-DD")
    seconds_left: int = Field(description="until the next word")
    players: int
    wrong_guesses: list[int] = Field(description="games won with 0, 1, ... or more wrong guesses")


def begin(
    connection: Connection,
    player: Player,
    words: ServedWords,
    settings: Settings,
    new: NewGame,
    key: str | None = None,
) -> GameAnswer:
    """Begin a game, or return that of the same key, or the player's game of the day."""
    if new.daily and new.recorded:
        raise RequestError(422, "recorded, daily: one at most")
    day = _DAY + today()
    key = day if new.daily else key
    statement = "SELECT * FROM games WHERE player_id = ? AND request_key = ?"
    begun = connection.execute(statement, (player.id, key)).fetchone()
    if begun is not None:
        if begun["recorded"] != new.recorded:
            raise RequestError(422, "the key of this request belongs to another kind of game")
        return _answer(begun)
    _check_quota(player, new.recorded, settings)
    if new.recorded:
        chosen, name = words.recorded, f"{player.id} recorded {player.recorded_runs}"
        statement = "SELECT secret FROM games WHERE player_id = ? AND recorded"
        played = {secret for (secret,) in connection.execute(statement, (player.id,))}
    else:
        chosen, played = words.practice, set()
        name = day if new.daily else f"{player.id} practice {player.practice_runs}"
    (draw_key,) = connection.execute("SELECT draw_key FROM server_state").fetchone()
    secret = draw_word(chosen, played, bytes.fromhex(draw_key), name)
    game_id = secrets.token_hex(16)  # drawn independently of the word
    withheld = new.recorded and words.withheld
    (row,) = connection.execute(
        "INSERT INTO games (id, player_id, secret, max_wrong, recorded, withheld, request_key) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *",
        (game_id, player.id, secret, settings.max_wrong, new.recorded, withheld, key),
    )
    connection.execute(
        "DELETE FROM games WHERE number IN (SELECT number FROM games WHERE player_id = ? "
        "AND NOT recorded AND status != 'ongoing' AND request_key IS NOT ? "
        "ORDER BY number DESC LIMIT ? OFFSET ?)",
        (player.id, day, _DELETED_AT_ONCE, settings.kept_games),
    )
    return _answer(row)


def guess(connection: Connection, player: Player, game_id: str, letter: str) -> GameAnswer:
    """Guess a letter; no effect if it is repeated, or after the end."""
    guessed = letter.lower()
    if len(letter) != 1 or not letter.isascii() or guessed not in ALPHABET:
        raise RequestError(400, "letter: one letter a to z is expected")
    row = _find(connection, player, game_id)
    game = _game(row)
    if row["status"] != "ongoing" or guessed in game.guesses:
        return _answer(row)
    game.guess(letter_index(guessed))
    changes = {"guesses": game.guesses}
    if game.over:
        changes["status"] = "success" if game.won else "failed"
    return _answer(_update(connection, row, **changes))


def resign(connection: Connection, player: Player, game_id: str) -> GameAnswer:
    """Resign a game; no effect after its end."""
    row = _find(connection, player, game_id)
    if row["status"] == "ongoing":
        row = _update(connection, row, status="failed", resigned=1)
    return _answer(row)


def find(connection: Connection, player: Player, game_id: str) -> GameAnswer:
    """Return the state of a game; 404 if the player has no such game."""
    return _answer(_find(connection, player, game_id))


def list_open(connection: Connection, player: Player) -> list[GameAnswer]:
    """Return the open games of a player, the 100 oldest."""
    rows = connection.execute(
        "SELECT * FROM games WHERE player_id = ? AND status = 'ongoing' ORDER BY number LIMIT ?",
        (player.id, _MAX_LISTED),
    )
    return [_answer(row) for row in rows]


def count_day(connection: Connection, rules: Rules, date: str) -> DayAnswer:
    """Count the finished games of the word of a day."""
    wins, players = [0] * rules.max_wrong, 0
    rows = connection.execute(
        "SELECT secret, status, LENGTH(guesses) AS length, COUNT(*) AS games FROM games "
        "WHERE request_key = ? AND status != 'ongoing' GROUP BY secret, status, length",
        (_DAY + date,),
    )
    for row in rows:
        players += row["games"]
        if row["status"] == "success":
            # In a won game all letters of the word were guessed.
            wrong = row["length"] - len(set(row["secret"]))
            wins[min(wrong, rules.max_wrong - 1)] += row["games"]
    left = math.ceil(_DAY_SECONDS - time.time() % _DAY_SECONDS)
    return DayAnswer(date=date, seconds_left=left, players=players, wrong_guesses=wins)


def today() -> str:
    """Return the date (UTC) as YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time()))


def check_agent(connection: Connection, player: Player, settings: Settings) -> None:
    """Raise 409 if recorded games have no hints and the player has an open one."""
    # A hint in a similar game would help in the recorded one.
    if settings.recorded_hints == "off" and player.recorded_open:
        raise RequestError(409, "recorded games are open; finish or resign them first")


def observe_for_hint(
    connection: Connection, player: Player, settings: Settings, game_id: str
) -> Observations:
    """Return the observation for a hint; 403 or 409 if the game has none."""
    row = _find(connection, player, game_id)
    if row["status"] != "ongoing":
        raise RequestError(409, f"the game is over ({row['status']})")
    if not row["recorded"]:
        check_agent(connection, player, settings)
    elif settings.recorded_hints == "off":
        raise RequestError(403, "this server gives no hints in recorded games")
    return _game(row).observations


def observe_for_review(
    connection: Connection, player: Player, settings: Settings, game_id: str
) -> tuple[str, str, int]:
    """Return the masked word, guesses and lives of a finished game; 409 if it has no review."""
    row = _find(connection, player, game_id)
    if row["status"] == "ongoing" or not row["guesses"]:
        state = "is not over" if row["status"] == "ongoing" else "has no guesses"
        raise RequestError(409, f"no review: the game {state}")
    check_agent(connection, player, settings)
    return _game(row).word, row["guesses"], row["max_wrong"]


def mark_hinted(connection: Connection, player: Player, game_id: str) -> None:
    """Mark a game as hinted."""
    statement = "UPDATE games SET hinted = 1 WHERE id = ? AND player_id = ? AND NOT hinted"
    connection.execute(statement, (game_id, player.id))


def _check_quota(player: Player, recorded: bool, settings: Settings) -> None:
    is_guest = player.name is None
    if recorded and is_guest:
        raise RequestError(403, "guests have practice games; recorded games need an access token")
    if recorded and player.recorded_runs >= settings.recorded_runs:
        raise RequestError(403, f"all {settings.recorded_runs:,} recorded runs are used up")
    if not recorded and player.practice_runs >= _MAX_PRACTICE:
        raise RequestError(403, f"all {_MAX_PRACTICE:,} practice runs are used up")
    allowed = _MAX_OPEN_OF_GUEST if is_guest else _MAX_OPEN
    if player.open_games >= allowed:
        raise RequestError(403, f"{allowed:,} games are open; finish or resign one first")


def _find(connection: Connection, player: Player, game_id: str) -> Row:
    statement = "SELECT * FROM games WHERE id = ? AND player_id = ?"
    row = connection.execute(statement, (game_id, player.id)).fetchone()
    if row is None:
        raise RequestError(404, "game_id: this token has no such game")
    return row


def _update(connection: Connection, row: Row, **changes: object) -> Row:
    columns = ", ".join(f"{name} = ?" for name in changes)
    statement = f"UPDATE games SET {columns} WHERE number = ? RETURNING *"
    (updated,) = connection.execute(statement, (*changes.values(), row["number"]))
    return updated


def _game(row: Row) -> Game:
    return Game(row["secret"], Rules(row["max_wrong"]), row["guesses"])


def _answer(row: Row) -> GameAnswer:
    """Return the state of a game, with its secret if it may be revealed."""
    game = _game(row)
    is_revealed = row["status"] == "success" or (row["status"] == "failed" and not row["withheld"])
    state = {"game_id": row["id"], "word": game.word, "tries_remains": game.lives}
    state |= {"wrong": game.wrong_letters, "secret": game.secret if is_revealed else None}
    key = row["request_key"] or ""
    state["day"] = key.removeprefix(_DAY) if key.startswith(_DAY) else None
    return GameAnswer(**{**row} | state)
