"""The web page, and the page of the interface, with all that they need from here."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response

from server.bounds import CONTENT_SECURITY_POLICY
from server.errors import RequestError

_FOLDER = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_ASSETS = (
    *("api.js", "board.js", "docs.js", "leaderboard.js", "main.js", "play.js", "watch.js"),
    *("icon.svg", "style.css"),
)
# The page of the interface is Swagger UI; FastAPI would take it from another server.
_SWAGGER = ("swagger-ui-bundle.js", "swagger-ui.css")
# Swagger UI sets styles on its elements.
_DOCS_POLICY = CONTENT_SECURITY_POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(request: Request) -> Response:
    """Return the web page."""
    return _answer(request, _FOLDER / "index.html")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Return the page of the interface."""
    response = _answer(request, _FOLDER / "docs.html")
    response.headers["Content-Security-Policy"] = _DOCS_POLICY
    return response


def not_found(request: Request) -> Response:
    """Return the page for an address where there is nothing."""
    response = _answer(request, _FOLDER / "not_found.html")
    response.status_code = 404
    return response


@router.get("/assets/{name}")
async def asset(request: Request, name: str) -> Response:
    """Return a file of the pages."""
    if name in _ASSETS:
        return _answer(request, _FOLDER / name)
    if name in _SWAGGER:
        return _answer(request, Path(str(files("fastapi_offline") / "static" / name)))
    raise RequestError(404, "there is no such file")


def _answer(request: Request, path: Path) -> Response:
    content, tag = _read(path)
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[path.suffix], headers=headers)


@lru_cache(maxsize=16)
def _read(path: Path) -> tuple[bytes, str]:
    content = path.read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'
