"""The protocol of the public challenge, and optional ``Idempotency-Key`` headers."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hangman_lab.server.access import QueryPlayer, RequestKey, Server
from hangman_lab.server.errors import RESPONSES
from hangman_lab.server.store import GameAnswer, Status

router = APIRouter(prefix="/trexsim/hangman", tags=["challenge"], responses=RESPONSES)


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
    player: QueryPlayer,
    practice: Annotated[bool, Query(description="True or False")] = True,
    key: RequestKey = None,
) -> ChallengeAnswer:
    """Begin a practice or recorded game."""
    return _answer(await server.games.begin(player, not practice, key), "approved")


@router.get("/guess_letter", response_model_exclude_defaults=True)
async def guess_letter(
    server: Server,
    player: QueryPlayer,
    game_id: str,
    letter: Annotated[str, Query(description="one letter a to z")],
    request: Literal["guess_letter"] = "guess_letter",
    key: RequestKey = None,
) -> ChallengeAnswer:
    """Guess a letter; one that was guessed before changes nothing and costs nothing."""
    game = await server.games.guess(player, game_id, letter, key)
    word = "" if game.secret is None else f"; the word was {game.secret}"
    return _answer(game, game.status, f"no tries are left{word}" if game.status == "failed" else "")


@router.get("/my_status")
async def my_status(server: Server, player: QueryPlayer) -> list[int]:
    """Return the practice runs, recorded runs, recorded successes and practice successes."""
    of = await server.players.count_games(player)
    return [of.practice_runs, of.recorded_runs, of.recorded_successes, of.practice_successes]


def _answer(game: GameAnswer, status: str, reason: str = "") -> ChallengeAnswer:
    state = {"word": "".join(f"{place} " for place in game.word), "reason": reason}
    return ChallengeAnswer(**game.model_dump() | state | {"status": status})
