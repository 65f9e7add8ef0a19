"""The application: its parts put together, its errors in one form, and what its operator asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from hangman_lab.server import api, pages, store, wire
from hangman_lab.server.access import Server, Services
from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.bounds import Bounds
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.games import Games
from hangman_lab.server.leaderboard import RankingCache
from hangman_lab.server.players import AGENT_COST, GUEST_COST, Players
from hangman_lab.server.rates import Buckets
from hangman_lab.server.retention import keep_pruning
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings

# Requests of an address at once: those of these seconds.
_BURST_SECONDS = 1.0

_operator = APIRouter(include_in_schema=False)


def create_app(words: ServedWords, agent: AgentPlayer, settings: Settings) -> ASGIApp:
    """Return the server; it opens its database when it starts."""
    # One request may cost the burst at most.
    burst = max(_BURST_SECONDS * settings.address_rate, GUEST_COST + AGENT_COST)
    rates = Buckets(settings.address_rate, burst)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(settings.db)
        players, games = Players(database, rates, settings), Games(database, words, settings)
        ranking = RankingCache(database)
        app.state.services = Services(database, players, games, ranking, agent, words, settings)
        pruning = asyncio.create_task(keep_pruning(database, settings))
        yield
        pruning.cancel()
        agent.close()
        # On a thread: it waits for what is being stored.
        await asyncio.to_thread(database.close)

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        # It is made once, and its page comes from here.
        openapi_url=None,
        # They would lead to the host that the client names.
        redirect_slashes=False,
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _refuse,
            RequestValidationError: _refuse_values,
            Exception: _fail,
        },
    )
    for router in (wire.router, api.router, _operator, pages.router):
        app.include_router(router)
    return Bounds(app, rates)


@_operator.get(f"{api.BASE_PATH}/openapi.json")
async def description(request: Request) -> Response:
    """Return the description of the interface."""
    state = request.app.state
    if not hasattr(state, "description"):
        content = json.dumps(request.app.openapi()).encode()
        state.description = pages.File("openapi.json", content)
    return state.description.answer(request)


@_operator.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Say that the process answers."""
    return PlainTextResponse("alive")


@_operator.get("/readyz")
async def readyz(server: Server) -> PlainTextResponse:
    """Say that the database was read; the agent was warm before the server answered anything."""
    await server.database.read(store.check_tables)
    return PlainTextResponse("ready")


@_operator.get("/metrics")
async def metrics() -> Response:
    """Return the metrics, as Prometheus reads them."""
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
