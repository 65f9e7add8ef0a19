"""The wire contract of the public challenge, so that its clients play here unchanged.

GET with query parameters, the token among them; JSON answers. An ``Idempotency-Key`` header is an
addition that other clients need not know.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hangman_lab.server.access import QueryPlayer, RequestKey, Server
from hangman_lab.server.errors import RESPONSES
from hangman_lab.server.game import Status

BASE_PATH = "/trexsim/hangman"
_WORD = r"^(?:[a-z_] )+$"

router = APIRouter(prefix=BASE_PATH, tags=["wire contract"], responses=RESPONSES)


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


@router.get("/new_game")
async def new_game(
    server: Server,
    player: QueryPlayer,
    practice: Annotated[bool, Query(description="True or False")] = True,
    key: RequestKey = None,
) -> NewGame:
    """Begin a practice game, or a recorded one."""
    game = await server.games.begin(player, not practice, key)
    return NewGame(game_id=game.game_id, word=spaced(game.word), tries_remains=game.tries_remains)


@router.get("/guess_letter", response_model_exclude_defaults=True)
async def guess_letter(
    server: Server,
    player: QueryPlayer,
    game_id: str,
    letter: Annotated[str, Query(description="one letter a to z")],
    request: Literal["guess_letter"] = "guess_letter",
    key: RequestKey = None,
) -> GuessAnswer:
    """Guess a letter; one that was guessed before changes nothing and costs nothing."""
    game = await server.games.guess(player, game_id, letter, key)
    reason = ""
    if game.status == "failed":
        told = "" if game.secret is None else f"; the word was {game.secret}"
        reason = f"no tries are left{told}"
    return GuessAnswer(
        status=game.status,
        game_id=game.game_id,
        word=spaced(game.word),
        tries_remains=game.tries_remains,
        reason=reason,
    )


@router.get("/my_status")
async def my_status(server: Server, player: QueryPlayer) -> list[int]:
    """Return the practice runs, recorded runs, recorded successes and practice successes."""
    counts = await server.players.count_games(player)
    runs = [counts.practice_runs, counts.recorded_runs]
    return [*runs, counts.recorded_successes, counts.practice_successes]


def spaced(word: str) -> str:
    """Return a masked word with a space after each place."""
    return "".join(f"{place} " for place in word)
