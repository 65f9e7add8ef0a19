"""The JSON API: games, hints, games of the agent, and the leaderboard."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.server import store
from hangman_lab.server.access import Address, HeaderPlayer, RequestKey, Server
from hangman_lab.server.agent import AgentGameAnswer, HintAnswer
from hangman_lab.server.errors import RESPONSES, RequestError
from hangman_lab.server.leaderboard import Leaderboard, PlayerRecord
from hangman_lab.server.served_words import Choice, Difficulty
from hangman_lab.server.store import GameAnswer, GameCounts

BASE_PATH = "/api/v1"
_MAX_LISTED = 1_000
# Spaces and commas may stand between letters.
_MAX_TEXT = 4 * MAX_LENGTH

router = APIRouter(prefix=BASE_PATH, responses=RESPONSES)


class ServerAnswer(BaseModel):
    """What this server offers."""

    agent: str | None = Field(description="the agent that gives hints, if any")
    max_wrong: int = Field(description="the number of wrong guesses that loses")
    recorded_runs: int = Field(description="recorded games per token")
    practice_runs: int = Field(description="practice games per token")
    practice_lengths: list[int] = Field(description="lengths of practice words to choose from")
    guests: bool = Field(description="whether guests may play")
    recorded_words: Literal["public", "withheld"] = Field(description="withheld: never revealed")
    recorded_hints: Literal["marked", "off"] = Field(description="hints in recorded games")


class GuestAnswer(BaseModel):
    """A guest."""

    token: str = Field(description="an access token for practice games, shown only once")


class NewGameBody(BaseModel, extra="forbid"):
    """The kind of a new game, and its choice of practice words."""

    recorded: bool = False
    daily: bool = Field(False, description="the word of the day (UTC), the same for all players")
    length: int | None = Field(None, ge=1, le=MAX_LENGTH)
    difficulty: Difficulty | None = None


class GuessBody(BaseModel, extra="forbid"):
    """A guess."""

    letter: str = Field(pattern="^[A-Za-z]$", description="one letter a to z")


class OpenGamesAnswer(BaseModel):
    """Games that are not over."""

    game_ids: list[str]


class HintBody(BaseModel, extra="forbid"):
    """A game of the player, or the state of any game of Hangman."""

    game_id: str | None = Field(None, max_length=_MAX_TEXT, description="instead of a pattern")
    pattern: str | None = Field(
        None, min_length=1, max_length=_MAX_TEXT, description="letters, and _ for each hidden one"
    )
    wrong: str = Field("", max_length=_MAX_TEXT, description="letters that are not in the word")


class WordBody(BaseModel, extra="forbid"):
    """A word for the agent to guess."""

    word: str = Field(min_length=1, max_length=_MAX_TEXT, description="letters a to z")


@router.get("/server", tags=["server"])
async def get_server(server: Server) -> ServerAnswer:
    """Return what this server offers."""
    offered = {
        "agent": server.agent.name,
        "guests": server.settings.guests > 0,
        "practice_lengths": server.words.practice_lengths,
        "recorded_words": "withheld" if server.words.withheld else "public",
    }
    return ServerAnswer(**server.settings.model_dump() | offered)


@router.get("/leaderboard", response_model=Leaderboard, tags=["server"])
async def get_leaderboard(
    server: Server,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Rank players by the lower end of the 95% interval of their win rate without hints."""
    rows = await server.ranking.rows()
    board = Leaderboard(players=rows[offset : offset + limit], total=len(rows))
    # FastAPI would validate each row again.
    return Response(board.model_dump_json(), media_type="application/json")


@router.get("/leaderboard/player", tags=["server"])
async def get_player_record(
    server: Server, name: Annotated[str, Query(max_length=_MAX_TEXT)]
) -> PlayerRecord:
    """Return the recorded games of one player, also by word length."""
    return await server.ranking.player(name)


@router.post("/guests", status_code=201, tags=["players"])
async def add_guest(server: Server, address: Address) -> GuestAnswer:
    """Create a guest, who plays practice games."""
    return GuestAnswer(token=await server.players.add_guest(address))


@router.get("/player", tags=["players"])
async def get_player(server: Server, player: HeaderPlayer) -> GameCounts:
    """Count the games of the player."""
    return await server.players.count_games(player)


@router.post("/games", status_code=201, tags=["games"])
async def new_game(
    server: Server,
    player: HeaderPlayer,
    body: NewGameBody,
    response: Response,
    key: RequestKey = None,
) -> GameAnswer:
    """Begin a practice or recorded game; the word of the day has one game per player."""
    chosen = body.length is not None or body.difficulty is not None
    if body.recorded + body.daily + chosen > 1:
        raise RequestError(422, "recorded, daily, length or difficulty: one at most")
    day = time.strftime("%Y-%m-%d", time.gmtime()) if body.daily else None
    choice = Choice(body.length, body.difficulty, day)
    answer = await server.games.begin(player, body.recorded, key, choice)
    response.headers["Location"] = f"{BASE_PATH}/games/{answer.game_id}"
    return answer


@router.get("/games", tags=["games"])
async def list_open_games(
    server: Server,
    player: HeaderPlayer,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = _MAX_LISTED,
) -> OpenGamesAnswer:
    """List the open games of the player, oldest first."""
    games = await server.database.read(store.list_open_games, player.id, limit)
    return OpenGamesAnswer(game_ids=games)


@router.get("/games/{game_id}", tags=["games"])
async def get_game(server: Server, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Return the state of a game."""
    return await server.games.find(player, game_id)


@router.post("/games/{game_id}/guesses", tags=["games"])
async def guess_letter(
    server: Server, player: HeaderPlayer, game_id: str, body: GuessBody, key: RequestKey = None
) -> GameAnswer:
    """Guess a letter; one that was guessed before changes nothing and costs nothing."""
    return await server.games.guess(player, game_id, body.letter, key)


@router.post("/games/{game_id}/resignation", tags=["games"])
async def resign(server: Server, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Resign a game: it is failed, and its word is revealed unless words are withheld."""
    return await server.games.resign(player, game_id)


@router.post("/hints", tags=["agent"])
async def get_hint(
    server: Server, player: HeaderPlayer, address: Address, body: HintBody
) -> HintAnswer:
    """Ask the agent for a hint, which marks the game."""
    if (body.game_id is None) == (body.pattern is None):
        raise RequestError(422, "pattern, game_id: one of them is expected")
    identity = server.players.admit_agent(player, address)
    game = await server.games.begin_hint(player, body.game_id)
    pattern, wrong = (body.pattern, body.wrong) if game is None else (game.word, game.wrong)
    hint = await server.agent.hint(pattern, wrong, identity)
    if game is not None:
        await server.games.mark_hinted(player, game.game_id)
    return hint


@router.post("/agent-games", tags=["agent"])
async def play_word(
    server: Server, player: HeaderPlayer, address: Address, body: WordBody
) -> AgentGameAnswer:
    """Let the agent play a word."""
    return await server.agent.play(body.word, server.players.admit_agent(player, address))
