"""Connections: how many there may be, of everybody and of one address, and how long one is silent.

uvicorn's own bound counts connections that ask for nothing, and lets them stay for ever.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from uvicorn.protocols.http.h11_impl import H11Protocol

from server import metrics
from server.rate_limit import network_of
from server.settings import Settings

_BUSY = json.dumps({"error": "too many connections; try again"}).encode()
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)
# Refused connections that are told so, and for how long at most.
_MAX_REFUSED = 100
_REFUSAL_SECONDS = 1.0


def make_protocol(settings: Settings) -> type[H11Protocol]:
    """Return the protocol of a server's connections, for uvicorn's option ``http``.

    A connection above a bound takes the place of one that waits for its client, the one that has
    waited longest; where all are being answered it is refused. Behind trusted proxies, whose
    connections are of everybody, an address has no bound of its own here.
    """
    # In the order in which they began to wait for their clients.
    waiting: dict[BoundedConnection, None] = {}
    refused: set[BoundedConnection] = set()
    addresses: Counter[str] = Counter()
    most_of_one = settings.address_connections
    if settings.forwarded_allow_ips is not None:
        most_of_one = settings.connections

    class BoundedConnection(H11Protocol):
        address = ""
        is_open = False
        deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            peer = transport.get_extra_info("peername")
            self.address = network_of(peer[0]) if peer else ""
            if not (self._has_room(self.address, addresses[self.address], most_of_one)
                    and self._has_room(None, addresses.total(), settings.connections)):  # fmt: skip
                self._refuse(transport)
                return
            super().connection_made(transport)
            self.is_open = True
            addresses[self.address] += 1
            metrics.CONNECTIONS.inc()
            self._wait_for_client()

        def connection_lost(self, error: Exception | None) -> None:
            refused.discard(self)
            self._forget()
            if self.deadline is not None:
                self.deadline.cancel()
            if self.flow is not None:
                # Not one that was refused.
                super().connection_lost(error)

        def data_received(self, data: bytes) -> None:
            if self.is_open:
                super().data_received(data)

        def handle_events(self) -> None:
            super().handle_events()
            if self.is_open and self.cycle is not None and not self.cycle.response_complete:
                if self.deadline is not None:
                    self.deadline.cancel()
                    self.deadline = None
                if not self.cycle.more_body:
                    # It is the server's turn.
                    waiting.pop(self, None)

        def on_response_complete(self) -> None:
            if self.is_open:
                self._wait_for_client()
            super().on_response_complete()

        def _refuse(self, transport: asyncio.Transport) -> None:
            metrics.CONNECTIONS_REFUSED.inc()
            self.transport = transport
            if len(refused) >= _MAX_REFUSED:
                transport.abort()
                return
            # Closed at once, it would be reset by what the client is sending, before it reads why.
            refused.add(self)
            transport.write(_REFUSAL)
            transport.write_eof()
            self.deadline = self.loop.call_later(_REFUSAL_SECONDS, transport.abort)

        def _wait_for_client(self) -> None:
            waiting.pop(self, None)
            waiting[self] = None
            if self.deadline is not None:
                self.deadline.cancel()
            self.deadline = self.loop.call_later(settings.idle_seconds, self._give_up)

        def _has_room(self, address: str | None, number: int, most: int) -> bool:
            if number < most:
                return True
            for other in waiting:
                if address in (None, other.address):
                    other._give_up()
                    return True
            return False

        def _give_up(self) -> None:
            self._forget()
            if not self.transport.is_closing():
                self.transport.close()

        def _forget(self) -> None:
            if not self.is_open:
                return
            self.is_open = False
            self.connections.discard(self)
            waiting.pop(self, None)
            addresses[self.address] -= 1
            if not addresses[self.address]:
                del addresses[self.address]
            metrics.CONNECTIONS.dec()

    return BoundedConnection
