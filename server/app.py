"""The application: its parts put together, its errors in one form."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import Engine
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from server import api, pages, wire
from server.agent_player import AgentPlayer
from server.bounds import Bounds
from server.database import Database
from server.errors import RequestError
from server.served_words import ServedWords
from server.service import GameService
from server.settings import Settings

logger = logging.getLogger("uvicorn.error")


def create_app(
    engine: Engine, words: ServedWords, agent: AgentPlayer, settings: Settings
) -> ASGIApp:
    """Return the server as an ASGI application.

    Parameters
    ----------
    engine : Engine
        Of :func:`server.database.open_engine`.
    words : ServedWords
    agent : AgentPlayer
    settings : Settings
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(engine)
        app.state.service = GameService(database, words, settings)
        app.state.agent = agent
        yield
        agent.close()
        database.close()

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        openapi_url=f"{api.BASE_PATH}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(wire.router)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.add_exception_handler(RequestError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_values)
    app.add_exception_handler(HTTPException, _refuse_http)
    app.add_exception_handler(Exception, _fail)
    return Bounds(app, settings)


async def _refuse(request: Request, error: RequestError) -> JSONResponse:
    return JSONResponse({"error": error.message}, error.status, error.headers)


async def _refuse_values(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    # What was given is not repeated: it may be a token in the wrong place.
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return JSONResponse({"error": f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}"}, 422)


async def _refuse_http(request: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


async def _fail(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the server made a mistake; it is in its log"}, 500)
