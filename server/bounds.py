"""Bounds on the size of requests, and headers of every answer, outside of the application."""

from __future__ import annotations

import asyncio
import json

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.settings import Settings

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
    """ASGI middleware: refuses what is too large, and adds headers to what is answered.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._num_open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                missing = [header for header in _DEFAULTS if header[0] not in given]
                message = {**message, "headers": [*message["headers"], *_HEADERS, *missing]}
            await send(message)

        refusal = self._refuse(scope)
        if refusal is not None:
            await _send_error(send_with_headers, *refusal)
            return
        self._num_open += 1
        try:
            body = await self._read_body(scope, receive)
            if isinstance(body, bytes):
                await self.app(scope, _replay(body, receive), send_with_headers)
            else:
                await _send_error(send_with_headers, *body)
        finally:
            self._num_open -= 1

    def _refuse(self, scope: Scope) -> tuple[int, str] | None:
        bounds = self.settings
        target = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if target > bounds.target_bytes:
            return 414, f"the path and query are longer than {bounds.target_bytes:,} bytes"
        if sum(len(name) + len(value) for name, value in scope["headers"]) > bounds.header_bytes:
            return 431, f"the headers are longer than {bounds.header_bytes:,} bytes"
        if self._num_open >= bounds.requests_at_once:
            return 503, "the server is busy; try again"
        return None

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | tuple[int, str]:
        """Return the whole body, or why it is refused."""
        bounds = self.settings
        too_long = 413, f"the body is longer than {bounds.body_bytes:,} bytes"
        headers = dict(scope["headers"])
        length = headers.get(b"content-length")
        if length is None and b"transfer-encoding" not in headers:
            return b""
        if length is not None and (not length.isdigit() or int(length) > bounds.body_bytes):
            return too_long
        body = bytearray()
        try:
            async with asyncio.timeout(bounds.body_seconds):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > bounds.body_bytes:
                        return too_long
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            return 408, f"the body takes longer than {bounds.body_seconds:g} seconds"


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _send_error(send: Send, status: int, message: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": message}).encode()})
