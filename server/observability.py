"""Health, readiness and metrics, for whoever runs the server."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from server import store
from server.access import Address, Server

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Say that the process answers."""
    return PlainTextResponse("alive")


@router.get("/readyz")
async def readyz(server: Server, address: Address) -> PlainTextResponse:
    """Say that the database was read; the agent was warm before the server answered anything."""
    server.players.admit_address(address)
    await server.database.read(store.find_generation)
    return PlainTextResponse("ready")


@router.get("/metrics")
async def metrics(server: Server, address: Address) -> Response:
    """Return the metrics, as Prometheus reads them."""
    server.players.admit_address(address)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
