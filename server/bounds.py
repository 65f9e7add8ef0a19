"""Around the application: bounds of requests, headers of every answer, what is told of it."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from functools import lru_cache

from fastapi.responses import JSONResponse
from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import metrics
from server.errors import RequestError
from server.logs import request_id
from server.settings import Settings

logger = logging.getLogger("server")
# Clients of the wire contract change games with GET, which HEAD must not.
_ONLY_GET = "/trexsim/"
# The page has its own files alone: no inline script or style, nothing from elsewhere, no frames.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_DEFAULTS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cache-control", b"no-store"),
]


class Bounds:
    """ASGI middleware: refuses what is too large, and adds headers to what is answered."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._num_open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500
        # No secret, and drawn a hundred times faster than one.
        number = f"{random.getrandbits(64):016x}"
        request_id.set(number)
        # What the server of the application keeps is not changed with it.
        scope = dict(scope)
        method = scope["method"]
        if method == "HEAD" and not scope["path"].startswith(_ONLY_GET):
            scope["method"] = "GET"

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message["headers"]}
                missing = [header for header in _DEFAULTS if header[0] not in given]
                own = (b"x-request-id", number.encode())
                message = {**message, "headers": [*message["headers"], *_HEADERS, *missing, own]}
                if status == 429:
                    await self._hold()
            elif method == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._answer(scope, receive, send_with_headers)
        finally:
            seconds = time.perf_counter() - begun
            # The template of the path: paths have the ids of games, and are as many as one likes.
            route = getattr(scope.get("route"), "path", "none")
            requests, times = _metrics_of(method if route != "none" else "", route, status)
            requests.inc()
            times.observe(seconds)
            logger.info(
                "request",
                extra={
                    "method": method,
                    "path": scope["path"],
                    "status": status,
                    "ms": round(1000 * seconds, 1),
                    "address": (scope.get("client") or ("",))[0],
                },
            )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._check_size(scope)
            # A body that is slow to come takes nobody's place; connections are bounded elsewhere.
            body = await self._read_body(scope, receive)
            if self._num_open >= self.settings.requests_at_once:
                raise RequestError(503, "the server is busy; try again", 1.0)
        except RequestError as error:
            headers = {**error.headers, "connection": "close"}
            refusal = JSONResponse({"error": error.detail}, error.status_code, headers)
            await refusal(scope, receive, send)
            return
        self._num_open += 1
        try:
            await self.app(scope, _replay(body, receive), send)
        finally:
            self._num_open -= 1

    async def _hold(self) -> None:
        """Let a refusal wait, so that asking faster than allowed gains nothing and costs little."""
        self._num_open -= 1
        try:
            await asyncio.sleep(self.settings.refusal_seconds)
        finally:
            self._num_open += 1

    def _check_size(self, scope: Scope) -> None:
        bounds = self.settings
        target = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if target > bounds.target_bytes:
            longest = f"{bounds.target_bytes:,} bytes"
            raise RequestError(414, f"the path and query are longer than {longest}")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > bounds.header_bytes:
            raise RequestError(431, f"the headers are longer than {bounds.header_bytes:,} bytes")

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        bounds = self.settings
        headers = dict(scope["headers"])
        length = headers.get(b"content-length")
        if length is None and b"transfer-encoding" not in headers:
            return b""
        too_long = RequestError(413, f"the body is longer than {bounds.body_bytes:,} bytes")
        if length is not None and (not length.isdigit() or int(length) > bounds.body_bytes):
            raise too_long
        body = bytearray()
        try:
            async with asyncio.timeout(bounds.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise RequestError(400, "the body did not come")
                    body += message.get("body", b"")
                    if len(body) > bounds.body_bytes:
                        raise too_long
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError as error:
            seconds = f"{bounds.body_seconds:g} seconds"
            raise RequestError(408, f"the body takes longer than {seconds}") from error


@lru_cache(maxsize=1024)
def _metrics_of(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    # To look them up takes longer than to count.
    return metrics.REQUESTS.labels(method, route, status), metrics.REQUEST_SECONDS.labels(route)


def _replay(body: bytes, receive: Receive) -> Receive:
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay() -> Message:
        return next(messages, None) or await receive()

    return replay
