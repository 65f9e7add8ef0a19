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
# Bytes of a body, and of method, path and query.
MAX_BODY = 16_384
MAX_TARGET = 2_048
_MAX_LOGGED_PATH = 200
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


class Bounds:
    """ASGI middleware that bounds requests, adds headers to answers, and logs both.

    A client has ``seconds`` to send a body.
    """

    def __init__(self, app: ASGIApp, rates: Buckets, seconds: float) -> None:
        self.app = app
        self.rates = rates
        self._seconds = seconds
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._refusal_logged = -1.0

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
            # The HTTP engine leaves out the body.
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
            await send(message)

        try:
            try:
                self.rates.take(address)
                # An address begins one request per pass of the event loop.
                async with self._locks.setdefault(next(iter(networks_of(address))), asyncio.Lock()):
                    await asyncio.sleep(0)
                _check_head(scope)
            except RequestError as error:
                closing = {**(error.headers or {}), "connection": "close"}
                refusal = JSONResponse({"error": error.detail}, error.status_code, closing)
                await refusal(scope, receive, send_with_headers)
            else:
                await self.app(scope, self._bounded(receive), send_with_headers)
        finally:
            now = time.perf_counter()
            # The template of the path, as the number of paths is unbounded.
            route = getattr(scope.get("route"), "path", "none")
            observability.REQUESTS.labels(route, status).inc()
            observability.REQUEST_SECONDS.labels(route).observe(now - begun)
            # Of requests above the rate, one per second is logged.
            if status != 429 or now > self._refusal_logged + 1.0:
                self._refusal_logged = now if status == 429 else self._refusal_logged
                line = {"method": method, "path": scope["path"][:_MAX_LOGGED_PATH]}
                line |= {"status": status, "ms": round(1000 * (now - begun), 1)}
                logger.info("request", extra=line | {"address": address[:_MAX_LOGGED_PATH]})

    def _bounded(self, receive: Receive) -> Receive:
        """Return what receives a body, or raises 408 if it is slow and 413 if it is long."""
        deadline = asyncio.get_running_loop().time() + self._seconds
        more, length = True, 0

        async def receive_bounded() -> Message:
            nonlocal more, length
            if not more:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                text = f"the body was not sent within {self._seconds:g} seconds"
                raise RequestError(408, text) from error
            more = message.get("more_body", False)
            length += len(message.get("body", b""))
            if length > MAX_BODY:
                raise RequestError(413, f"the body is longer than {MAX_BODY:,} bytes")
            return message

        return receive_bounded


def _check_head(scope: Scope) -> None:
    target = len(scope["method"]) + len(scope.get("raw_path") or scope["path"])
    if target + len(scope["query_string"]) > MAX_TARGET:
        raise RequestError(414, f"the method, path and query are longer than {MAX_TARGET:,} bytes")
    if scope["method"] == "POST":
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
        if foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise RequestError(403, "requests of pages of other sites are refused")
