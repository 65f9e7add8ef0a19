"""Connections: how many there may be, of everybody and of one address, and how long one is silent.

uvicorn's own bound counts connections that ask for nothing, and lets them stay for ever.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from server import observability
from server.players import network_of
from server.settings import Settings

# Of the connections, those that one address may have.
_SHARE_OF_AN_ADDRESS = 5
_BUSY = json.dumps({"error": "too many connections; try again"}).encode()
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)
# Refused connections that are told so, and for how long at most.
_MAX_REFUSED = 100
_REFUSAL_SECONDS = 1.0


class ConnectionBounds:
    """The connections of a server, and how many it takes.

    A connection above a bound takes the place of one that waits for its client, the one that has
    waited longest; where all are being answered it is refused. Behind trusted proxies, whose
    connections are of everybody, an address has no bound of its own here.
    """

    def __init__(self, settings: Settings) -> None:
        # In the order in which they began to wait for their clients.
        self.waiting: dict[BoundedConnection, None] = {}
        self.refused: set[BoundedConnection] = set()
        self.addresses: Counter[str] = Counter()
        self.idle_seconds = settings.client_seconds
        self._most = settings.connections
        self._most_of_one = self._most
        if settings.forwarded_allow_ips is None:
            self._most_of_one //= _SHARE_OF_AN_ADDRESS

    def make_room(self, address: str) -> bool:
        """Return whether there is a place for a connection of an address, or one could be made."""
        if self.addresses[address] >= self._most_of_one and not self._end_first(address):
            return False
        return self.addresses.total() < self._most or self._end_first()

    def _end_first(self, address: str | None = None) -> bool:
        for connection in self.waiting:
            if address in (None, connection.address):
                connection.give_up()
                return True
        return False


class BoundedConnection(H11Protocol):
    """A connection of a server; for uvicorn's option ``http``, after its bounds are given."""

    def __init__(self, bounds: ConnectionBounds, *of: Any, **options: Any) -> None:
        super().__init__(*of, **options)
        self.address = ""
        self._bounds = bounds
        self._is_open = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take the connection, or refuse it."""
        peer = transport.get_extra_info("peername")
        self.address = network_of(peer[0]) if peer else ""
        if not self._bounds.make_room(self.address):
            self._refuse(transport)
            return
        super().connection_made(transport)
        self._is_open = True
        self._bounds.addresses[self.address] += 1
        observability.CONNECTIONS.inc()
        self._wait_for_client()

    def connection_lost(self, error: Exception | None) -> None:
        """Make its place free."""
        self._bounds.refused.discard(self)
        self._forget()
        self._set_deadline(None)
        if self.flow is not None:
            # Not one that was refused.
            super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Read what the client sends, unless the connection is refused."""
        if self._is_open:
            super().data_received(data)

    def handle_events(self) -> None:
        """Begin to answer what has been read."""
        super().handle_events()
        if self._is_open and self.cycle is not None and not self.cycle.response_complete:
            self._set_deadline(None)
            if not self.cycle.more_body:
                # It is the server's turn.
                self._bounds.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if self._is_open:
            self._wait_for_client()
        super().on_response_complete()

    def give_up(self) -> None:
        """Close it."""
        self._forget()
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, transport: asyncio.Transport) -> None:
        observability.CONNECTIONS_REFUSED.inc()
        self.transport = transport
        if len(self._bounds.refused) >= _MAX_REFUSED:
            transport.abort()
            return
        # Closed at once, it would be reset by what the client is sending, before it reads why.
        self._bounds.refused.add(self)
        transport.write(_REFUSAL)
        transport.write_eof()
        self._set_deadline(self.loop.call_later(_REFUSAL_SECONDS, transport.abort))

    def _wait_for_client(self) -> None:
        self._bounds.waiting.pop(self, None)
        self._bounds.waiting[self] = None
        self._set_deadline(self.loop.call_later(self._bounds.idle_seconds, self.give_up))

    def _set_deadline(self, deadline: asyncio.TimerHandle | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = deadline

    def _forget(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self.connections.discard(self)
        self._bounds.waiting.pop(self, None)
        self._bounds.addresses[self.address] -= 1
        if not self._bounds.addresses[self.address]:
            del self._bounds.addresses[self.address]
        observability.CONNECTIONS.dec()
