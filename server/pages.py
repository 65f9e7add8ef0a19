"""The web page, and the page of the interface, with all that they need from here."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from server.bounds import CONTENT_SECURITY_POLICY

_FOLDER = Path(__file__).parent / "page"
# Swagger UI sets styles on its elements.
_DOCS_POLICY = CONTENT_SECURITY_POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
# Some systems name another type, which browsers refuse.
mimetypes.add_type("text/javascript", ".js")
_PAGES = StaticFiles(directory=_FOLDER)
# The page of the interface is Swagger UI; FastAPI would take it from another server.
ASSETS = StaticFiles(directory=_FOLDER / "assets", packages=[("fastapi_offline", "static")])

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(request: Request) -> Response:
    """Return the web page."""
    return await _PAGES.get_response("index.html", request.scope)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Return the page of the interface."""
    response = await _PAGES.get_response("docs.html", request.scope)
    response.headers["Content-Security-Policy"] = _DOCS_POLICY
    return response


def not_found() -> Response:
    """Return the page for an address where there is nothing."""
    return FileResponse(_FOLDER / "not_found.html", 404)
