"""The application: its parts put together, its errors in one form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import Engine
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from server import api, observability, pages, wire
from server.access import Services
from server.agent_player import AgentPlayer
from server.bounds import Bounds
from server.database import Database
from server.errors import RequestError
from server.games import Games
from server.leaderboard import RankingCache
from server.players import Players
from server.served_words import ServedWords
from server.settings import Settings


def create_app(
    engine: Engine,
    words: ServedWords,
    agent: AgentPlayer,
    settings: Settings,
    on_replaced: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the server on an engine of :func:`server.database.open_engine`.

    ``on_replaced`` is called when another server has begun to play in the database.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(engine, on_replaced)
        players, games = Players(database, settings), Games(database, words, settings)
        ranking = RankingCache(database)
        app.state.services = Services(database, players, games, ranking, agent, words, settings)
        yield
        agent.close()
        # On a thread: it waits for what is being stored.
        await asyncio.to_thread(database.close)

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        openapi_url=f"{api.BASE_PATH}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    for part in (wire, api, observability, pages):
        app.include_router(part.router)
    app.add_exception_handler(HTTPException, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_values)
    app.add_exception_handler(Exception, _fail)
    return Bounds(app, settings)


async def _refuse(request: Request, error: HTTPException) -> Response:
    asks_for_page = "text/html" in request.headers.get("accept", "")
    if error.status_code == 404 and asks_for_page and not isinstance(error, RequestError):
        return pages.not_found()
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _refuse_values(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        place = f"at character {first['loc'][-1]}: {first['ctx']['error'].lower()}"
        return JSONResponse({"error": f"body: it is not JSON ({place})"}, 422)
    # What was given is not repeated: it may be a token in the wrong place.
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    if len(where) > 64 or not where.isprintable():
        # The name of a field that nobody asked for may be any text.
        where = str(first["loc"][0])
    return JSONResponse({"error": f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}"}, 422)


async def _fail(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the server made a mistake; it is in its log"}, 500)
