"""The application, its error format, the operator's routes, and the process that serves it."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import json
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from hangman_lab.envs.words import has_frequencies, load_word_list
from hangman_lab.run_files.agents import find_run
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.server import api, challenge, pages, store
from hangman_lab.server.access import Server, Services
from hangman_lab.server.agent import AgentPlayer, make_agent_player
from hangman_lab.server.bounds import MAX_HEADERS, MAX_TARGET, Bounds
from hangman_lab.server.connections import bounded_connections
from hangman_lab.server.database import Database, only_server, open_database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.games import Games
from hangman_lab.server.leaderboard import RankingCache
from hangman_lab.server.observability import LOG_CONFIG
from hangman_lab.server.players import AGENT_COST, GUEST_COST, Players, keep_pruning
from hangman_lab.server.rates import Buckets
from hangman_lab.server.served_words import ServedWords, divide_words, use_recorded_words
from hangman_lab.server.settings import Settings

_operator = APIRouter(include_in_schema=False)


def create_app(words: ServedWords, agent: AgentPlayer, settings: Settings) -> ASGIApp:
    """Return the application, which opens its database at its start."""
    # A second's requests, and at least what one request may cost.
    rates = Buckets(settings.address_rate, max(settings.address_rate, GUEST_COST + AGENT_COST))

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
        await asyncio.to_thread(database.close)

    app = FastAPI(
        title="Hangman Lab",
        summary="Games of Hangman for people and agents.",
        version="1",
        openapi_url=None,  # served below, compressed
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
    return Bounds(app, rates)


@_operator.get(f"{api.BASE_PATH}/openapi.json")
async def description(request: Request) -> Response:
    """Return the OpenAPI description."""
    state = request.app.state
    if not hasattr(state, "description"):
        content = json.dumps(request.app.openapi()).encode()
        state.description = pages.File("openapi.json", content)
    return state.description.answer(request)


@_operator.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Answer while the process runs."""
    return PlainTextResponse("alive")


@_operator.get("/readyz")
async def readyz(server: Server) -> PlainTextResponse:
    """Answer while the database can be read."""
    await server.database.read(store.check_tables)
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


def serve(listener: socket.socket, settings: Settings) -> None:
    """Serve games until the process is stopped; InputError if the settings cannot be met."""
    run = find_run(settings.run, ())
    words = _find_words(run, settings)
    open_database(settings.db).close()
    with only_server(settings.db):
        print(words.description, *_warnings(words, listener, settings), sep="\n", flush=True)
        agent = make_agent_player(run, words.to_fit, settings)
        print(f"agent: {agent.name or 'none'}", flush=True)
        config = uvicorn.Config(
            create_app(words, agent, settings),
            http=bounded_connections(settings),
            h11_max_incomplete_event_size=MAX_HEADERS + MAX_TARGET,
            ws="none",
            log_config=LOG_CONFIG,
            access_log=False,
            proxy_headers=settings.forwarded_allow_ips is not None,
            forwarded_allow_ips=settings.forwarded_allow_ips,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
        # The writer and the event loop alternate often.
        sys.setswitchinterval(0.0005)
        # Collecting what was loaded would stop the event loop for a moment.
        gc.freeze()
        _Server(config).run(sockets=[listener])


def _warnings(words: ServedWords, listener: socket.socket, settings: Settings) -> Iterator[str]:
    if not words.withheld:
        yield (
            "recorded words are of a public list, which a client can look up; "
            "--recorded-words takes a list of your own"
        )
    if len(words.recorded) < settings.recorded_runs:
        yield (
            f"a player gets recorded words again after {len(words.recorded):,} games of "
            f"{settings.recorded_runs:,}; --recorded-runs bounds the games"
        )
    address = listener.getsockname()[0].partition("%")[0]
    if not ipaddress.ip_address(address).is_loopback:
        yield f"whoever reaches {address} can read /metrics; keep it inside by a proxy"


def _find_words(run: RunDirectory | None, settings: Settings) -> ServedWords:
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(settings.words if settings.words is not None else config.words)
    lengths = config.env.min_length, config.env.max_length
    common = settings.practice_words == "common" or (
        settings.practice_words is None and settings.words is None and has_frequencies()
    )
    words = divide_words(word_list, config.split.make(), lengths, common)
    if settings.recorded_words is None:
        return words
    fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
    return use_recorded_words(words, settings.recorded_words, word_list, fitted)


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = sockets[0].getsockname()[:2]
        print(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
