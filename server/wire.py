"""The wire contract of the public challenge, so that its clients play here unchanged.

GET with query parameters, the token among them; JSON answers. An ``Idempotency-Key`` header is an
addition that other clients need not know.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from server.access import QueryPlayer, RequestKey, Service, responses
from server.game import Status

BASE_PATH = "/trexsim/hangman"
_WORD = r"^(?:[a-z_] )+$"

router = APIRouter(prefix=BASE_PATH, tags=["wire contract"])


class NewGame(BaseModel):
    """A game that begins."""

    status: Literal["approved"] = "approved"
    game_id: str
    word: str = Field(pattern=_WORD, description="underscores, each followed by a space")
    tries_remains: int = Field(ge=1)


class GuessAnswer(BaseModel):
    """A game after a guess."""

    status: Status
    game_id: str
    word: str = Field(pattern=_WORD, description="underscores and letters, each with a space")
    tries_remains: int = Field(ge=0)
    reason: str = Field("", description="why the game is failed; left out otherwise")


@router.get(
    "/new_game",
    response_model=NewGame,
    responses=responses(http_403="runs are used up, or too many games are open"),
)
async def new_game(
    service: Service,
    player: QueryPlayer,
    practice: Annotated[bool, Query(description="True or False")] = True,
    key: RequestKey = None,
) -> NewGame:
    """Begin a practice game, or a recorded one."""
    view = await service.new_game(player, not practice, key)
    return NewGame(game_id=view.game_id, word=spaced(view.word), tries_remains=view.tries_remains)


@router.get(
    "/guess_letter",
    response_model=GuessAnswer,
    responses=responses(http_404="this token has no such game", http_409="the game is over"),
)
async def guess_letter(
    service: Service,
    player: QueryPlayer,
    game_id: str,
    letter: Annotated[str, Query(description="one letter a to z")],
    request: Literal["guess_letter"] = "guess_letter",
    key: RequestKey = None,
) -> JSONResponse:
    """Guess a letter; one that was guessed before changes nothing and costs nothing."""
    view = await service.guess(player, game_id, letter, key)
    answer = {
        "status": view.status,
        "game_id": view.game_id,
        "word": spaced(view.word),
        "tries_remains": view.tries_remains,
    }
    if view.status == "failed":
        told = "" if view.secret is None else f"; the word was {view.secret}"
        answer["reason"] = f"no tries are left{told}"
    # As it is: to validate an answer takes as long as to play the letter.
    return JSONResponse(answer)


@router.get("/my_status", response_model=list[int], responses=responses())
async def my_status(player: QueryPlayer) -> list[int]:
    """Return the practice runs, recorded runs, recorded successes and practice successes."""
    return [
        player.practice_runs,
        player.recorded_runs,
        player.recorded_successes,
        player.practice_successes,
    ]


def spaced(word: str) -> str:
    """Return a masked word with a space after each place."""
    return "".join(f"{place} " for place in word)
