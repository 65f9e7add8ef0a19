"""Middleware: bounds of requests, headers of answers, and the log."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from weakref import WeakValueDictionary

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hangman_lab.server import observability
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, networks_of

logger = logging.getLogger("server")
# Bytes of a body, of method, path and query, and of the headers.
MAX_BODY = 16_384
MAX_TARGET = 2_048
MAX_HEADERS = 16_384
# Delay of a 429, so that asking too fast gains nothing.
_REFUSAL_SECONDS = 1.0
# Methods that the log names; a client may send any text.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
# In the challenge's protocol GET changes games, which HEAD must not.
_ONLY_GET = "/trexsim/"
# Own files alone: no inline script or style, no other host, no frames.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_TOO_LONG = RequestError(413, f"the body is longer than {MAX_BODY:,} bytes")


class Bounds:
    """ASGI middleware that bounds the rate and size of requests and adds headers to answers."""

    def __init__(self, app: ASGIApp, rates: Buckets) -> None:
        self.app = app
        self.rates = rates
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500
        address = (scope.get("client") or ("",))[0]
        number = f"{random.getrandbits(64):016x}"
        observability.request_id.set(number)
        scope = dict(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        if method == "HEAD" and not scope["path"].startswith(_ONLY_GET):
            # uvicorn leaves out the body.
            scope["method"] = "GET"

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                # Browsers revalidate files.
                caching = "no-cache" if "etag" in headers else "no-store"
                headers.update({**_HEADERS, "Cache-Control": caching, "X-Request-ID": number})
                if status == 429:
                    await asyncio.sleep(_REFUSAL_SECONDS)
            await send(message)

        try:
            try:
                self.rates.take(address)
                # An address begins one request per pass of the event loop.
                async with self._locks.setdefault(next(iter(networks_of(address))), asyncio.Lock()):
                    await asyncio.sleep(0)
                _check_head(scope)
            except RequestError as error:
                headers = {**error.headers, "connection": "close"}
                refusal = JSONResponse({"error": error.detail}, error.status_code, headers)
                await refusal(scope, receive, send_with_headers)
            else:
                await self.app(scope, _bound_body(receive), send_with_headers)
        finally:
            seconds = time.perf_counter() - begun
            # The template of the path, as the number of paths is unbounded.
            route = getattr(scope.get("route"), "path", "none")
            observability.REQUESTS.labels(route, status).inc()
            observability.REQUEST_SECONDS.labels(route).observe(seconds)
            line = {"method": method, "path": scope["path"], "status": status}
            line |= {"ms": round(1000 * seconds, 1), "address": address}
            logger.info("request", extra=line)


def _check_head(scope: Scope) -> None:
    target = len(scope["method"]) + len(scope.get("raw_path") or scope["path"])
    if target + len(scope["query_string"]) > MAX_TARGET:
        raise RequestError(414, f"the method, path and query are longer than {MAX_TARGET:,} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
        raise RequestError(431, f"the headers are longer than {MAX_HEADERS:,} bytes")
    headers = Headers(scope=scope)
    if int(headers.get("content-length", 0)) > MAX_BODY:
        raise _TOO_LONG
    if "content-length" in headers and "transfer-encoding" in headers:
        # Servers differ in how they read it, so it may hide a request.
        raise RequestError(400, "Content-Length, Transfer-Encoding: one of them is expected")
    if scope["method"] == "POST" and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        raise RequestError(403, "requests of pages of other sites are refused")


def _bound_body(receive: Receive) -> Receive:
    length = 0

    async def receive_bounded() -> Message:
        nonlocal length
        message = await receive()
        length += len(message.get("body", b""))
        if length > MAX_BODY:
            raise _TOO_LONG
        return message

    return receive_bounded
