"""The application, its error format, and the operator's routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from hangman_lab.server import api, challenge, pages
from hangman_lab.server.access import Server, Services
from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.bounds import Bounds
from hangman_lab.server.database import Database, check
from hangman_lab.server.errors import RequestError
from hangman_lab.server.leaderboard import RankingCache
from hangman_lab.server.players import AGENT_COST, GUEST_COST, Players
from hangman_lab.server.rates import Buckets
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings

_FILE_THREADS = 2
_operator = APIRouter(include_in_schema=False)


def create_app(words: ServedWords, agent: AgentPlayer | None, settings: Settings) -> ASGIApp:
    """Return the application, which opens its database at its start."""
    # A second's requests, and at least what one request may cost.
    rates = Buckets(settings.address_rate, max(settings.address_rate, GUEST_COST + AGENT_COST))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # Threads that read files; more of them would hold up the event loop.
        current_default_thread_limiter().total_tokens = _FILE_THREADS
        database = Database(settings.db)
        players, ranking = Players(database, rates, settings), RankingCache(database)
        app.state.services = Services(database, players, ranking, agent, words, settings, rates)
        yield
        if agent is not None:
            agent.close()
        await asyncio.to_thread(database.close)

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        openapi_url=f"{api.BASE_PATH}/openapi.json",
        docs_url=None,  # served by pages, without other hosts
        redoc_url=None,
        redirect_slashes=False,  # redirects would lead to the host that the client names
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _refuse,
            RequestValidationError: _refuse_values,
            Exception: _fail,
        },
    )
    for router in (challenge.router, api.router, _operator, pages.router):
        app.include_router(router)
    return Bounds(app, rates, settings.client_seconds)


@_operator.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Answer while the process runs."""
    return PlainTextResponse("alive")


@_operator.get("/readyz")
async def readyz(server: Server) -> PlainTextResponse:
    """Answer while the database can be read."""
    await server.database.read(check)
    return PlainTextResponse("ready")


@_operator.get("/metrics")
async def metrics() -> Response:
    """Return metrics for Prometheus."""
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
    # The value is not repeated: it may be a misplaced token.
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    if len(where) > 64 or not where.isprintable():  # an unknown field
        where = str(first["loc"][0])
    return JSONResponse({"error": f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}"}, 422)


async def _fail(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "internal error; see the server's log"}, 500)
