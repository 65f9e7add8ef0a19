"""The JSON API, and the public challenge's protocol with an optional ``Idempotency-Key``."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Response
from pydantic import BaseModel, Field

from hangman_lab.server import games, players
from hangman_lab.server.access import EXTRA_COST, Address, Caller, RequestKey, Server
from hangman_lab.server.agent import AgentGame, Hint, Review
from hangman_lab.server.errors import RequestError
from hangman_lab.server.games import DayAnswer, GameAnswer, NewGame, Status
from hangman_lab.server.leaderboard import Leaderboard
from hangman_lab.server.players import Player

BASE_PATH = "/api/v1"

router = APIRouter(prefix=BASE_PATH)
challenge = APIRouter(prefix="/trexsim/hangman", tags=["challenge"])


class ServerAnswer(BaseModel):
    """What this server offers."""

    agent: str | None = Field(description="the agent that gives hints, if any")
    max_wrong: int = Field(description="the number of wrong guesses that loses")
    recorded_runs: int = Field(description="recorded games per token")
    recorded_words: Literal["public", "withheld"] = Field(description="withheld: never revealed")
    recorded_hints: Literal["marked", "off"] = Field(description="hints in recorded games")


class ChallengeAnswer(BaseModel):
    """The state of a game; ``reason`` is left out unless the game is failed."""

    status: Literal["approved"] | Status
    game_id: str
    word: str = Field(pattern=r"^(?:[a-z_] )+$", description="_ for hidden letters; spaces between")
    tries_remains: int = Field(ge=0)
    reason: str = ""


@router.get("/server", tags=["server"])
async def get_server(server: Server) -> ServerAnswer:
    """Return what this server offers."""
    agent = server.settings.agent if server.agent is not None else None
    words = "withheld" if server.words.withheld else "public"
    return ServerAnswer(**vars(server.settings) | {"agent": agent, "recorded_words": words})


@router.get("/daily", tags=["games"])
async def get_day(server: Server) -> DayAnswer:
    """Return the results of today's word of the day, and the seconds until the next one."""
    return await server.day(games.today())


@router.get("/leaderboard", response_model=Leaderboard, tags=["server"])
async def get_leaderboard(server: Server, address: Address) -> Response:
    """Rank players by the lower end of the 95% interval of their win rate without hints."""
    server.rates.take(address, EXTRA_COST)
    return Response(await server.leaderboard(), media_type="application/json")


@router.post("/guests", status_code=201, tags=["players"])
async def add_guest(server: Server, address: Address) -> dict[Literal["token"], str]:
    """Create a guest, who plays practice games; the token is shown only once."""
    if not server.settings.guests:
        raise RequestError(403, "this server has no guests; use an access token")
    server.new_guests.take(address)
    token = players.make_token(players.GUEST_PREFIX)
    await server.database.write(server.guests.add, token)
    return {"token": token}


@router.get("/player", tags=["players"])
async def get_player(caller: Caller) -> Player:
    """Count the games of the player."""
    return await caller.read(lambda connection, player: player)


@router.post("/games", status_code=201, tags=["games"])
async def new_game(
    server: Server, caller: Caller, body: NewGame, key: RequestKey = None
) -> GameAnswer:
    """Begin a practice or recorded game; the word of the day has one game per player."""
    return await caller.write(games.begin, server.words, server.settings, body, key)


@router.get("/games", tags=["games"])
async def list_open_games(caller: Caller) -> list[GameAnswer]:
    """List the open games of the player, the 100 oldest."""
    return await caller.read(games.list_open)


@router.get("/games/{game_id}", tags=["games"])
async def get_game(caller: Caller, game_id: str) -> GameAnswer:
    """Return the state of a game."""
    return await caller.read(games.find, game_id)


@router.post("/games/{game_id}/guesses", tags=["games"])
async def guess_letter(
    caller: Caller,
    game_id: str,
    letter: Annotated[str, Body(embed=True, description="one letter a to z")],
) -> GameAnswer:
    """Guess a letter; no effect if it is repeated, or after the end."""
    return await caller.write(games.guess, game_id, letter)


@router.post("/games/{game_id}/resignation", tags=["games"])
async def resign(caller: Caller, game_id: str) -> GameAnswer:
    """Resign an open game: it is failed, and its word is revealed unless words are withheld."""
    return await caller.write(games.resign, game_id)


@router.post("/games/{game_id}/hint", tags=["agent"])
async def get_hint(server: Server, caller: Caller, game_id: str) -> Hint:
    """Ask the agent for a hint, which marks the game."""
    agent, identity = caller.take_turn()
    observation = await caller.read(games.observe_for_hint, server.settings, game_id)
    hint = await agent.hint(observation, identity)
    await caller.write(games.mark_hinted, game_id)
    return hint


@router.get("/games/{game_id}/review", response_model=Review, tags=["agent"])
async def get_review(server: Server, caller: Caller, game_id: str) -> Response:
    """Tell what each guess of a finished game was worth, by the agent's letter probabilities."""
    agent, identity = caller.take_turn()
    played = await caller.read(games.observe_for_review, server.settings, game_id)
    return Response(await agent.review(*played, identity), media_type="application/json")


@router.post("/agent-games", tags=["agent"])
async def watch(server: Server, caller: Caller) -> AgentGame:
    """Let the agent play a practice word."""
    agent, identity = caller.take_turn()
    await caller.read(games.check_agent, server.settings)
    return await agent.play(secrets.choice(server.words.practice), identity)


@challenge.get("/new_game", name="new_game", response_model_exclude_defaults=True)
async def begin_by_challenge(
    server: Server,
    caller: Caller,
    practice: Annotated[bool, Query(description="True or False")] = True,
    key: RequestKey = None,
) -> ChallengeAnswer:
    """Begin a practice or recorded game."""
    new = NewGame(recorded=not practice)
    game = await caller.write(games.begin, server.words, server.settings, new, key)
    return _answer_challenge(game, "approved")


@challenge.get("/guess_letter", name="guess_letter", response_model_exclude_defaults=True)
async def guess_by_challenge(
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
    return _answer_challenge(game, game.status, reason)


@challenge.get("/my_status")
async def my_status(caller: Caller) -> list[int]:
    """Return the practice runs, recorded runs, recorded successes and practice successes."""
    me = await caller.read(lambda connection, player: player)
    return [me.practice_runs, me.recorded_runs, me.recorded_successes, me.practice_successes]


def _answer_challenge(game: GameAnswer, status: str, reason: str = "") -> ChallengeAnswer:
    word = "".join(f"{place} " for place in game.word)
    return ChallengeAnswer(**game.model_dump() | {"word": word, "status": status, "reason": reason})
