"""The application: its parts put together, its errors in one form, and what its operator asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from server import api, pages, store, wire
from server.access import Address, Server, Services
from server.agent import AgentPlayer
from server.bounds import Bounds
from server.database import Database
from server.errors import RequestError
from server.games import Games
from server.leaderboard import RankingCache
from server.players import Players
from server.served_words import ServedWords
from server.settings import Settings

_operator = APIRouter(include_in_schema=False)


def create_app(words: ServedWords, agent: AgentPlayer, settings: Settings) -> ASGIApp:
    """Return the server; it opens its database when it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(settings.db)
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
        exception_handlers={
            HTTPException: _refuse,
            RequestValidationError: _refuse_values,
            Exception: _fail,
        },
    )
    for router in (wire.router, api.router, _operator, pages.router):
        app.include_router(router)
    app.mount("/assets", pages.ASSETS)
    return Bounds(app, settings)


@_operator.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Say that the process answers."""
    return PlainTextResponse("alive")


@_operator.get("/readyz")
async def readyz(server: Server, address: Address) -> PlainTextResponse:
    """Say that the database was read; the agent was warm before the server answered anything."""
    server.players.admit_address(address)
    await server.database.read(store.check_tables)
    return PlainTextResponse("ready")


@_operator.get("/metrics")
async def metrics(server: Server, address: Address) -> Response:
    """Return the metrics, as Prometheus reads them."""
    server.players.admit_address(address)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


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
        # The name of an unknown field may be any text.
        where = str(first["loc"][0])
    return JSONResponse({"error": f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}"}, 422)


async def _fail(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the server made a mistake; it is in its log"}, 500)
