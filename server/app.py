"""The application, its error format, its page and its metrics."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from hangman_lab.server import api
from hangman_lab.server.access import EXTRA_COST, GUEST_COST, Services
from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.bounds import Bounds
from hangman_lab.server.errors import RESPONSES
from hangman_lab.server.rates import Buckets
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings

_PAGE = Path(__file__).with_name("page")
# Some systems have another type, which browsers refuse.
mimetypes.add_type("text/javascript", ".js")


def create_app(words: ServedWords, agent: AgentPlayer | None, settings: Settings) -> Bounds:
    """Return the application, which opens its database at its start."""
    # The burst is that of one second, and at least the cost of any request.
    rates = Buckets(settings.address_rate, max(settings.address_rate, GUEST_COST + EXTRA_COST))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.services = services = Services(words, agent, settings, rates)
        yield
        if agent is not None:
            agent.close()
        await asyncio.to_thread(services.database.close)

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        responses=RESPONSES,
        openapi_url=f"{api.BASE_PATH}/openapi.json",
        docs_url=None,  # it would load files from other hosts
        redoc_url=None,
        redirect_slashes=False,  # the location would be the Host that the client sends
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _refuse,
            RequestValidationError: _refuse_values,
            Exception: _fail,
        },
    )
    app.include_router(api.challenge)
    app.include_router(api.router)
    app.add_api_route("/metrics", _metrics, include_in_schema=False)
    app.mount("/", StaticFiles(directory=_PAGE, html=True))
    return Bounds(app, rates)


async def _metrics() -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


async def _refuse(request: Request, error: HTTPException) -> Response:
    # Nested too deep, or an integer too long.
    if error.detail == "There was an error parsing the body":
        return JSONResponse({"error": "body: not JSON that this server reads"}, 422)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _refuse_values(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        place = f"at character {first['loc'][-1]}: {first['ctx']['error'].lower()}"
        return JSONResponse({"error": f"body: not JSON ({place})"}, 422)
    # The value is left out, since it may be a misplaced token.
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    if len(where) > 64 or not where.isprintable():  # an unknown field
        where = str(first["loc"][0])
    return JSONResponse({"error": f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}"}, 422)


async def _fail(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "internal error; see the server's log"}, 500)
