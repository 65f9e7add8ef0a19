"""The web page, the page that describes the API, and their files."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from hangman_lab.server.bounds import CONTENT_SECURITY_POLICY

# Swagger UI sets styles on its elements.
_DOCS_POLICY = CONTENT_SECURITY_POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
# Browsers refuse the type that some systems name.
mimetypes.add_type("text/javascript", ".js")

router = APIRouter(include_in_schema=False)


class File:
    """A file in memory, compressed once and sent as one message."""

    def __init__(self, name: str, content: bytes) -> None:
        self.content = content
        self._compressed = gzip.compress(content, mtime=0)
        self._type = mimetypes.guess_type(name)[0]
        self._tag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'

    def answer(self, request: Request) -> Response:
        """Return the file, or 304."""
        headers = {"ETag": self._tag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == self._tag:
            return Response(status_code=304, headers=headers)
        content = self.content
        if "gzip" in request.headers.get("accept-encoding", ""):
            content = self._compressed
            headers["Content-Encoding"] = "gzip"
        return Response(content, media_type=self._type, headers=headers)


_FOLDER = Path(__file__).parent / "page"
# FastAPI would load Swagger UI from another host.
_SWAGGER_UI = files("fastapi_offline") / "static"
_PATHS = [
    *_FOLDER.glob("*.html"),
    *(_FOLDER / "assets").iterdir(),
    _SWAGGER_UI / "swagger-ui.css",
    _SWAGGER_UI / "swagger-ui-bundle.js",
]
_FILES = {path.name: File(path.name, path.read_bytes()) for path in _PATHS}


@router.get("/")
async def index(request: Request) -> Response:
    """Return the web page."""
    return _FILES["index.html"].answer(request)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Return the page that describes the API."""
    response = _FILES["docs.html"].answer(request)
    response.headers["Content-Security-Policy"] = _DOCS_POLICY
    return response


@router.get("/assets/{name}")
async def asset(request: Request, name: str) -> Response:
    """Return a file of the pages."""
    if name not in _FILES or name.endswith(".html"):
        raise HTTPException(404)
    return _FILES[name].answer(request)


def not_found() -> Response:
    """Return the page for unknown addresses."""
    return Response(_FILES["not_found.html"].content, 404, media_type="text/html")
