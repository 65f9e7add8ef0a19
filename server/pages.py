"""The web page, the page that describes the API, and their files."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from hangman_lab.server.access import Address, Server
from hangman_lab.server.bounds import CONTENT_SECURITY_POLICY

_FOLDER = Path(__file__).parent / "page"
# Swagger UI sets styles on its elements.
_DOCS_POLICY = CONTENT_SECURITY_POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
# Browsers refuse the type that some systems name.
mimetypes.add_type("text/javascript", ".js")

# Bytes of a file for which its address pays a further token.
_BYTES_PER_TOKEN = 65_536
# Swagger UI is served from here: FastAPI would load it from another host.
_ASSETS = StaticFiles(directory=_FOLDER / "assets", packages=[("fastapi_offline", "static")])

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index() -> FileResponse:
    """Return the web page."""
    return FileResponse(_FOLDER / "index.html")


@router.get("/docs")
async def docs() -> FileResponse:
    """Return the page that describes the API."""
    headers = {"Content-Security-Policy": _DOCS_POLICY}
    return FileResponse(_FOLDER / "docs.html", headers=headers)


@router.get("/assets/{path:path}")
async def asset(request: Request, server: Server, address: Address, path: str) -> Response:
    """Return a file of the pages; 429 above the rate."""
    response = await _ASSETS.get_response(path, request.scope)
    size = int(response.headers.get("content-length", 0))
    server.rates.take(address, size // _BYTES_PER_TOKEN)
    return response


def not_found() -> FileResponse:
    """Return the page for unknown addresses."""
    return FileResponse(_FOLDER / "not_found.html", 404)
