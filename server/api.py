"""The JSON API: games, hints, games of the agent, and the leaderboard."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.server import games
from hangman_lab.server.access import Address, Agent, HeaderPlayer, RequestKey, Server
from hangman_lab.server.agent import AgentGameAnswer, HintAnswer
from hangman_lab.server.errors import RESPONSES, RequestError
from hangman_lab.server.games import DayAnswer, GameAnswer, NewGame
from hangman_lab.server.leaderboard import Leaderboard, PlayerRecord
from hangman_lab.server.players import GameCounts, count_games

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

    word: str | None = Field(
        None,
        min_length=1,
        max_length=_MAX_TEXT,
        description="letters a to z; null: a word of the server",
    )


@router.get("/server", tags=["server"])
async def get_server(server: Server) -> ServerAnswer:
    """Return what this server offers."""
    offered = {
        "agent": server.agent.name if server.agent is not None else None,
        "guests": server.settings.guests > 0,
        "practice_lengths": server.words.practice_lengths,
        "recorded_words": "withheld" if server.words.withheld else "public",
    }
    return ServerAnswer(**server.settings.model_dump() | offered)


@router.get("/daily", tags=["games"])
async def get_day(server: Server) -> DayAnswer:
    """Return how players did today, and when the next word of the day comes."""
    return await server.database.read(games.count_day, server.settings.max_wrong)


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
    return await server.database.read(count_games, player)


@router.post("/games", status_code=201, tags=["games"])
async def new_game(
    server: Server, player: HeaderPlayer, body: NewGame, response: Response, key: RequestKey = None
) -> GameAnswer:
    """Begin a practice or recorded game; the word of the day has one game per player."""
    if body.recorded + body.daily + (body.length is not None or body.difficulty is not None) > 1:
        raise RequestError(422, "recorded, daily, length or difficulty: one at most")
    begin = games.begin, player, server.words, server.settings
    answer = await server.database.write(*begin, body, key)
    response.headers["Location"] = f"{BASE_PATH}/games/{answer.game_id}"
    return answer


@router.get("/games", tags=["games"])
async def list_open_games(
    server: Server,
    player: HeaderPlayer,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = _MAX_LISTED,
) -> OpenGamesAnswer:
    """List the open games of the player, oldest first."""
    game_ids = await server.database.read(games.list_open, player, limit)
    return OpenGamesAnswer(game_ids=game_ids)


@router.get("/games/{game_id}", tags=["games"])
async def get_game(server: Server, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Return the state of a game."""
    return await server.database.read(games.find, player, game_id)


@router.post("/games/{game_id}/guesses", tags=["games"])
async def guess_letter(
    server: Server, player: HeaderPlayer, game_id: str, body: GuessBody
) -> GameAnswer:
    """Guess a letter; a repeated one, and a guess after the end, change nothing."""
    return await server.database.write(games.guess, player, game_id, body.letter)


@router.post("/games/{game_id}/resignation", tags=["games"])
async def resign(server: Server, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Resign an open game: it is failed, and its word is revealed unless words are withheld."""
    return await server.database.write(games.resign, player, game_id)


@router.post("/hints", tags=["agent"])
async def get_hint(
    server: Server, player: HeaderPlayer, agent: Agent, address: Address, body: HintBody
) -> HintAnswer:
    """Ask the agent for a hint, which marks the game."""
    identity, database = server.players.admit_agent(player, address), server.database
    if body.pattern is not None and body.game_id is None:
        await database.read(games.check_agent, player, server.settings, True)
        return await agent.hint(body.pattern, body.wrong, identity)
    if body.pattern is not None or body.game_id is None:
        raise RequestError(422, "pattern, game_id: one of them is expected")
    game = await database.read(games.find_for_hint, player, server.settings, body.game_id)
    hint = await agent.hint(game.word, game.wrong, identity)
    await database.write(games.mark_hinted, player, game.game_id)
    return hint


@router.post("/agent-games", tags=["agent"])
async def play_word(
    server: Server, player: HeaderPlayer, agent: Agent, address: Address, body: WordBody
) -> AgentGameAnswer:
    """Let the agent play a word, by default a practice word."""
    identity, is_own_choice = server.players.admit_agent(player, address), body.word is not None
    await server.database.read(games.check_agent, player, server.settings, is_own_choice)
    return await agent.play(body.word or secrets.choice(server.words.practice), identity)
