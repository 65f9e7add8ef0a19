"""Middleware: limits of requests, headers of answers, and a metric."""

from __future__ import annotations

import asyncio
import re
import time
from weakref import WeakValueDictionary

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from prometheus_client import Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, network_of

REQUEST_SECONDS = Histogram("hangman_request_seconds", "Time to answer", ["route", "status"])
# Timeout for the head of a request, and for its body.
CLIENT_SECONDS = 10.0
# The longest body of a request, in bytes.
MAX_BODY = 16_384
# The protocol's requests that change games: there is GET, but no HEAD.
_UNSAFE = ("/new_game", "/guess_letter")
_HEADERS = {
    # Files of this server alone: no inline script or style, no frames.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Accept-Ranges": "none",
}


class Bounds:
    """ASGI middleware that limits requests, adds headers to answers, and measures latency."""

    def __init__(self, app: FastAPI, rates: Buckets) -> None:
        self.app = app
        self.rates = rates
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        status, is_head, headers = 500, scope["method"] == "HEAD", Headers(scope=scope)
        # Files are short: a range of one is ignored.
        scope = {**scope, "headers": [each for each in scope["headers"] if each[0] != b"range"]}
        if is_head:  # an answer to GET, without its body
            scope["method"] = "GET"
        address = (scope.get("client") or ("",))[0]

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answered = MutableHeaders(scope=message)
                # Browsers revalidate files.
                caching = "no-cache" if "etag" in answered else "no-store"
                answered.update({**_HEADERS, "Cache-Control": caching})
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        try:
            self.rates.take(address)
            # Round-robin: of each address, one request starts per pass of the event loop.
            async with self._locks.setdefault(network_of(address), asyncio.Lock()):
                await asyncio.sleep(0)
            host, is_old = ",".join(headers.getlist("host")), scope["http_version"] != "1.1"
            if not (re.fullmatch(r"[^\s,/@]+", host) or (is_old and not host)):
                raise RequestError(400, "Host: one name or address is expected")
            if is_head and scope["path"].endswith(_UNSAFE):
                raise RequestError(405, "this request changes a game; use GET")
            site = headers.get("sec-fetch-site")
            if scope["method"] == "POST" and site in ("cross-site", "same-site"):
                raise RequestError(403, "cross-site requests are refused")
            await self.app(scope, _bounded(receive), send_with_headers)
        except RequestError as error:
            closing = {**(error.headers or {}), "connection": "close"}
            refusal = JSONResponse({"error": error.detail}, error.status_code, closing)
            await refusal(scope, receive, send_with_headers)
        finally:
            # The template of the path, since clients choose paths.
            route = getattr(scope.get("route"), "path", "none")
            REQUEST_SECONDS.labels(route, status).observe(time.perf_counter() - begun)


def _bounded(receive: Receive) -> Receive:
    """Wrap ``receive``: it raises 408 if a body is too slow, and 413 if it is too long."""
    deadline = asyncio.get_running_loop().time() + CLIENT_SECONDS
    more, length = True, 0

    async def receive_bounded() -> Message:
        nonlocal more, length
        if not more:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError as error:
            text = f"the body was not sent within {CLIENT_SECONDS:g} seconds"
            raise RequestError(408, text) from error
        more = message.get("more_body", False)
        length += len(message.get("body", b""))
        if length > MAX_BODY:
            raise RequestError(413, f"the body is longer than {MAX_BODY:,} bytes")
        return message

    return receive_bounded
