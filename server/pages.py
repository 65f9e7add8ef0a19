"""The web page, and the page of the interface, with all that they need from here."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from server.bounds import CONTENT_SECURITY_POLICY
from server.errors import RequestError

_FOLDER = Path(__file__).parent / "page"
_CACHING = {"Cache-Control": "no-cache"}
# Swagger UI sets styles on its elements.
_DOCS_POLICY = CONTENT_SECURITY_POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
# Some systems name another type, which browsers refuse.
mimetypes.add_type("text/javascript", ".js")


class _Files(StaticFiles):
    """Files that a browser asks for again each time, and gets when they have changed."""

    def file_response(self, *of: Any, **options: Any) -> Response:
        response = super().file_response(*of, **options)
        response.headers.update(_CACHING)
        return response


_PAGES = _Files(directory=_FOLDER)
# The page of the interface is Swagger UI; FastAPI would take it from another server.
_ASSETS = _Files(directory=_FOLDER / "assets", packages=[("fastapi_offline", "static")])

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
    return FileResponse(_FOLDER / "not_found.html", 404, _CACHING)


@router.get("/assets/{name}")
async def asset(request: Request, name: str) -> Response:
    """Return a file of the pages."""
    try:
        return await _ASSETS.get_response(name, request.scope)
    except HTTPException as error:
        raise RequestError(error.status_code, "there is no such file") from error
