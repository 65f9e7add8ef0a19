"""The protocol of the public challenge, and an optional ``Idempotency-Key`` of new games."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hangman_lab.server import games
from hangman_lab.server.access import Caller, RequestKey, Server
from hangman_lab.server.games import GameAnswer, NewGame, Status

router = APIRouter(prefix="/trexsim/hangman", tags=["challenge"])


class ChallengeAnswer(BaseModel):
    """The state of a game; ``reason`` is left out unless the game is failed."""

    status: Literal["approved"] | Status
    game_id: str
    word: str = Field(pattern=r"^(?:[a-z_] )+$", description="_ for hidden letters; spaces between")
    tries_remains: int = Field(ge=0)
    reason: str = ""


@router.get("/new_game", response_model_exclude_defaults=True)
async def new_game(
    server: Server,
    caller: Caller,
    practice: Annotated[bool, Query(description="True or False")] = True,
    key: RequestKey = None,
) -> ChallengeAnswer:
    """Begin a practice or recorded game."""
    new = NewGame(recorded=not practice)
    game = await caller.write(games.begin, server.words, server.settings, new, key)
    return _answer(game, "approved")


@router.get("/guess_letter", response_model_exclude_defaults=True)
async def guess_letter(
    caller: Caller,
    game_id: str,
    letter: Annotated[str, Query(description="one letter a to z")],
    request: Literal["guess_letter"] = "guess_letter",
) -> ChallengeAnswer:
    """Guess a letter; no effect if it is repeated, or after the end."""
    game = await caller.write(games.guess, game_id, letter)
    reason = ""
    if game.status == "failed":
        reason = "the game was resigned" if game.resigned else "no tries are left"
        reason += f"; the word was {game.secret}" if game.secret is not None else ""
    return _answer(game, game.status, reason)


@router.get("/my_status")
async def my_status(caller: Caller) -> list[int]:
    """Return the practice runs, recorded runs, recorded successes and practice successes."""
    of = await caller.read(lambda connection, player: player)
    return [of.practice_runs, of.recorded_runs, of.recorded_successes, of.practice_successes]


def _answer(game: GameAnswer, status: str, reason: str = "") -> ChallengeAnswer:
    word = "".join(f"{place} " for place in game.word)
    state: dict[str, Any] = {"word": word, "status": status, "reason": reason}
    return ChallengeAnswer(**game.model_dump() | state)
