"""Around the application: bounds of requests, headers of every answer, what is told of it."""

from __future__ import annotations

import asyncio
import logging
import random
import time

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import observability
from server.errors import RequestError
from server.rates import Buckets
from server.settings import Settings

logger = logging.getLogger("server")
# Bytes of a request's body, of its method, path and query, and of its headers.
MAX_BODY = 16_384
MAX_TARGET = 2_048
MAX_HEADERS = 16_384
# Seconds that a 429 is held, so that asking faster than allowed gains nothing.
_REFUSAL_SECONDS = 1.0
# Those that a log line names; a client may send anything.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
# What browsers say of a request that a page of another site makes.
_OTHER_SITES = {"cross-site", "same-site"}
# Clients of the wire contract change games with GET, which HEAD must not.
_ONLY_GET = "/trexsim/"
# The page has its own files alone: no inline script or style, nothing from elsewhere, no frames.
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
    """ASGI middleware: refuses what is too much or too large, and adds headers to what is answered.

    Each request takes one of the rates of its address, before anything else.
    """

    def __init__(self, app: ASGIApp, rates: Buckets, settings: Settings) -> None:
        self.app = app
        self.rates = rates
        self._client_seconds = settings.client_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500
        address = (scope.get("client") or ("",))[0]
        # No secret, and drawn a hundred times faster than one.
        number = f"{random.getrandbits(64):016x}"
        observability.request_id.set(number)
        # What the server of the application keeps is not changed with it.
        scope = dict(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        if method == "HEAD" and not scope["path"].startswith(_ONLY_GET):
            # The server sends no body in answer to HEAD.
            scope["method"] = "GET"

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                # A browser asks for files each time, and gets them when they have changed.
                caching = "no-cache" if "etag" in headers else "no-store"
                headers.update({**_HEADERS, "Cache-Control": caching, "X-Request-ID": number})
                if status == 429:
                    await asyncio.sleep(_REFUSAL_SECONDS)
            await send(message)

        try:
            try:
                self.rates.take(address)
                _check_head(scope)
                body = await self._read_body(scope, receive)
            except RequestError as error:
                headers = {**error.headers, "connection": "close"}
                refusal = JSONResponse({"error": error.detail}, error.status_code, headers)
                await refusal(scope, receive, send_with_headers)
            else:
                await self.app(scope, _replay(body, receive), send_with_headers)
        finally:
            seconds = time.perf_counter() - begun
            # The template of the path: paths have the ids of games, and are as many as one likes.
            route = getattr(scope.get("route"), "path", "none")
            observability.REQUESTS.labels(route, status).inc()
            observability.REQUEST_SECONDS.labels(route).observe(seconds)
            logger.info(
                "request",
                extra={
                    "method": method,
                    "path": scope["path"],
                    "status": status,
                    "ms": round(1000 * seconds, 1),
                    "address": address,
                },
            )

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        headers = Headers(scope=scope)
        length = headers.get("content-length")
        if length is None and "transfer-encoding" not in headers:
            return b""
        too_long = RequestError(413, f"the body is longer than {MAX_BODY:,} bytes")
        if length is not None and (not length.isdigit() or int(length) > MAX_BODY):
            raise too_long
        body = bytearray()
        try:
            async with asyncio.timeout(self._client_seconds):
                async for part in Request(scope, receive).stream():
                    body += part
                    if len(body) > MAX_BODY:
                        raise too_long
        except ClientDisconnect as error:
            raise RequestError(400, "the body did not come") from error
        except TimeoutError as error:
            seconds = f"{self._client_seconds:g} seconds"
            raise RequestError(408, f"the body takes longer than {seconds}") from error
        return bytes(body)


def _check_head(scope: Scope) -> None:
    target = len(scope["method"]) + len(scope.get("raw_path") or scope["path"])
    if target + len(scope["query_string"]) > MAX_TARGET:
        raise RequestError(414, f"the method, path and query are longer than {MAX_TARGET:,} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
        raise RequestError(431, f"the headers are longer than {MAX_HEADERS:,} bytes")
    headers = Headers(scope=scope)
    if "content-length" in headers and "transfer-encoding" in headers:
        # Servers read such a body in two ways, so that it may hide a request.
        raise RequestError(400, "Content-Length, Transfer-Encoding: one of them is expected")
    if headers.get("sec-fetch-site") in _OTHER_SITES and scope["method"] == "POST":
        raise RequestError(403, "a page of another site cannot ask for this")


def _replay(body: bytes, receive: Receive) -> Receive:
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay() -> Message:
        return next(messages, None) or await receive()

    return replay
