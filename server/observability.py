"""Health, readiness and metrics, for whoever runs the server."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from server.access import Address, Service

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Say that the process answers."""
    return PlainTextResponse("alive")


@router.get("/readyz")
async def readyz(service: Service, address: Address) -> PlainTextResponse:
    """Say that the database was read; the agent was warm before the server answered anything."""
    service.admit_address(address)
    await service.check()
    return PlainTextResponse("ready")


@router.get("/metrics")
async def metrics(service: Service, address: Address) -> Response:
    """Return the metrics, as Prometheus reads them."""
    service.admit_address(address)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
