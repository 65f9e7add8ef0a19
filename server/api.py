"""The versioned JSON interface: games, hints, games of the agent, the leaderboard."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from envs.encoding import MAX_LENGTH
from server.access import Address, HeaderPlayer, RequestKey, Service, TheAgent, responses
from server.agent_player import Hint
from server.errors import RequestError
from server.game import GameView, Status
from server.leaderboard import Leaderboard, PlayerRecord

BASE_PATH = "/api/v1"
_MAX_LISTED = 1_000
# Spaces and commas may stand between letters.
_MAX_TEXT = 4 * MAX_LENGTH

router = APIRouter(prefix=BASE_PATH)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ServerAnswer(BaseModel):
    """What this server offers."""

    agent: str | None = Field(description="who gives hints; null without an agent")
    max_wrong: int = Field(description="the number of wrong guesses that loses")
    recorded_runs: int = Field(description="recorded games that one token may begin")
    practice_runs: int
    guests: bool = Field(description="whether one can play without a token of one's own")
    recorded_words: Literal["public", "withheld"] = Field(
        description="public: words of a public list, which clients can look up; withheld: words "
        "of the operator's own, told to nobody"
    )
    recorded_hints: Literal["marked", "off"] = Field(
        description="whether a recorded game with a hint is marked, or hints are refused there"
    )


class GuestAnswer(BaseModel):
    """A guest."""

    token: str = Field(description="for practice games; it is shown this once")


class PlayerAnswer(BaseModel):
    """The games of a player."""

    name: str | None = Field(description="null for a guest")
    practice_runs: int = Field(ge=0)
    practice_successes: int = Field(ge=0)
    recorded_runs: int = Field(ge=0)
    recorded_successes: int = Field(ge=0)
    open_games: int = Field(ge=0)


class NewGameBody(_Body):
    """Which kind of game begins."""

    recorded: bool = False


class GuessBody(_Body):
    """A guess."""

    letter: str = Field(pattern="^[A-Za-z]$", description="one letter a to z")


class GameAnswer(BaseModel):
    """How a game stands."""

    game_id: str
    recorded: bool
    status: Status
    word: str = Field(pattern="^[a-z_]+$", description="_ for each hidden letter")
    tries_remains: int = Field(ge=0)
    guesses: str = Field(pattern="^[a-z]*$", description="the letters in order")
    wrong: str = Field(pattern="^[a-z]*$", description="those that are not in the word")
    resigned: bool
    hinted: bool = Field(description="whether the agent gave a hint")
    secret: str | None = Field(
        description="null until the game is over, and after it where words are withheld"
    )


class OpenGamesAnswer(BaseModel):
    """Games that are not over."""

    game_ids: list[str]


class HintBody(_Body):
    """A game of the player, or a state of any game of Hangman, played here or elsewhere."""

    game_id: str | None = Field(None, max_length=_MAX_TEXT, description="instead of a pattern")
    pattern: str | None = Field(
        None, min_length=1, max_length=_MAX_TEXT, description="letters, and _ for each hidden one"
    )
    wrong: str = Field("", max_length=_MAX_TEXT, description="letters that are not in the word")


class HintAnswer(BaseModel):
    """What the agent thinks."""

    agent: str
    letter: str = Field(description="what it would guess")
    probabilities: dict[str, float] = Field(
        description="for each letter how likely it is in the hidden part of the word"
    )


class WordBody(_Body):
    """A word that the agent has to guess."""

    word: str = Field(min_length=1, max_length=_MAX_TEXT, description="letters a to z")


class TurnAnswer(BaseModel):
    """One guess of the agent: what it thought, and how the game stood after it."""

    letter: str
    probabilities: dict[str, float]
    word: str
    tries_remains: int
    wrong: str


class AgentGameAnswer(BaseModel):
    """A game that the agent played."""

    agent: str
    status: Status
    turns: list[TurnAnswer]


@router.get("/server", response_model=ServerAnswer, responses=responses(), tags=["server"])
async def get_server(service: Service, agent: TheAgent) -> ServerAnswer:
    """Say what this server offers."""
    bounds = service.settings
    return ServerAnswer(
        agent=agent.name,
        max_wrong=bounds.max_wrong,
        recorded_runs=bounds.recorded_runs,
        practice_runs=bounds.practice_runs,
        guests=bounds.guests > 0,
        recorded_words="withheld" if service.words.withheld else "public",
        recorded_hints=bounds.recorded_hints,
    )


@router.get("/leaderboard", response_model=Leaderboard, responses=responses(), tags=["server"])
async def get_leaderboard(
    service: Service,
    address: Address,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Rank players by the lower end of the 95% interval of their win rate in recorded games."""
    service.admit_address(address)
    content = await service.leaderboard(limit, offset)
    return Response(content, media_type="application/json")


@router.get(
    "/leaderboard/player",
    response_model=PlayerRecord,
    responses=responses(http_404="no recorded game of a player of this name"),
    tags=["server"],
)
async def get_player_record(
    service: Service, address: Address, name: Annotated[str, Query(max_length=_MAX_TEXT)]
) -> PlayerRecord:
    """Return the recorded games of one player, also by word length."""
    service.admit_address(address)
    return await service.player_record(name)


@router.post(
    "/guests",
    response_model=GuestAnswer,
    status_code=201,
    responses=responses(http_403="there are no guests here"),
    tags=["players"],
)
async def add_guest(service: Service, address: Address) -> GuestAnswer:
    """Make a token for practice games."""
    return GuestAnswer(token=await service.add_guest(address))


@router.get("/player", response_model=PlayerAnswer, responses=responses(), tags=["players"])
async def get_player(player: HeaderPlayer) -> PlayerAnswer:
    """Return how many games the token has."""
    return PlayerAnswer(
        name=player.name,
        practice_runs=player.practice_runs,
        practice_successes=player.practice_successes,
        recorded_runs=player.recorded_runs,
        recorded_successes=player.recorded_successes,
        open_games=player.open_games,
    )


@router.post(
    "/games",
    response_model=GameAnswer,
    status_code=201,
    responses=responses(http_403="runs are used up, or too many games are open"),
    tags=["games"],
)
async def new_game(
    service: Service,
    player: HeaderPlayer,
    body: NewGameBody,
    response: Response,
    key: RequestKey = None,
) -> GameAnswer:
    """Begin a practice game, or a recorded one."""
    view = await service.new_game(player, body.recorded, key)
    response.headers["Location"] = f"{BASE_PATH}/games/{view.game_id}"
    return _answer(view)


@router.get("/games", response_model=OpenGamesAnswer, responses=responses(), tags=["games"])
async def list_open_games(
    service: Service,
    player: HeaderPlayer,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = _MAX_LISTED,
) -> OpenGamesAnswer:
    """Return the token's open games, the oldest first."""
    return OpenGamesAnswer(game_ids=await service.open_games(player, limit))


@router.get(
    "/games/{game_id}",
    response_model=GameAnswer,
    responses=responses(http_404="this token has no such game"),
    tags=["games"],
)
async def get_game(service: Service, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Return how a game stands."""
    return _answer(await service.view(player, game_id))


@router.post(
    "/games/{game_id}/guesses",
    response_model=GameAnswer,
    responses=responses(http_404="this token has no such game", http_409="the game is over"),
    tags=["games"],
)
async def guess_letter(
    service: Service,
    player: HeaderPlayer,
    game_id: str,
    body: GuessBody,
    key: RequestKey = None,
) -> GameAnswer:
    """Guess a letter; one that was guessed before changes nothing and costs nothing."""
    return _answer(await service.guess(player, game_id, body.letter, key))


@router.post(
    "/games/{game_id}/resignation",
    response_model=GameAnswer,
    responses=responses(http_404="this token has no such game", http_409="the game is over"),
    tags=["games"],
)
async def resign(service: Service, player: HeaderPlayer, game_id: str) -> GameAnswer:
    """Give a game up: it is failed, and its word is told."""
    return _answer(await service.resign(player, game_id))


@router.post(
    "/hints",
    response_model=HintAnswer,
    responses=responses(
        http_403="hints are off in recorded games",
        http_404="this server has no agent, or this token no such game",
        http_409="the game is over, or recorded games are open and none is named",
    ),
    tags=["agent"],
)
async def get_hint(
    service: Service, agent: TheAgent, player: HeaderPlayer, address: Address, body: HintBody
) -> HintAnswer:
    """Ask the agent what it thinks of a game; in a recorded game that marks it."""
    if (body.game_id is None) == (body.pattern is None):
        raise RequestError(422, "pattern, game_id: one of them is expected")
    turn = service.admit_agent(player, address)
    game = await service.begin_hint(player, body.game_id)
    pattern, wrong = (body.pattern, body.wrong) if game is None else (game.word, _wrong(game))
    hint = await agent.hint(pattern, wrong, turn)
    if game is not None:
        await service.mark_hinted(player, game.game_id)
    return HintAnswer(agent=agent.name, **_fields(hint))


@router.post(
    "/agent-games",
    response_model=AgentGameAnswer,
    responses=responses(http_404="this server has no agent"),
    tags=["agent"],
)
async def play_word(
    service: Service, agent: TheAgent, player: HeaderPlayer, address: Address, body: WordBody
) -> AgentGameAnswer:
    """Let the agent play a word."""
    turns = await agent.play(body.word, service.admit_agent(player, address))
    return AgentGameAnswer(
        agent=agent.name,
        status=turns[-1].view.status,
        turns=[
            TurnAnswer(
                word=turn.view.word,
                tries_remains=turn.view.tries_remains,
                wrong=_wrong(turn.view),
                **_fields(turn.hint),
            )
            for turn in turns
        ],
    )


def _answer(view: GameView) -> GameAnswer:
    return GameAnswer(wrong=_wrong(view), **vars(view))


def _fields(hint: Hint) -> dict:
    return {"letter": hint.letter, "probabilities": hint.probabilities}


def _wrong(view: GameView) -> str:
    return "".join(letter for letter in view.guesses if letter not in view.word)
