"""Connections: bounds of their number, in total and per address, and deadlines of clients."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hangman_lab.server import observability
from hangman_lab.server.rates import networks_of
from hangman_lab.server.settings import Settings

# An address may have one connection in this many.
_SHARE_OF_AN_ADDRESS = 5
# Refused connections that get an answer, and their deadline.
_MAX_REFUSED = 100
_REFUSAL_SECONDS = 1.0
# Bytes of an answer that a client has to read within its deadline.
_LEAST_READ = 65_536


def bounded_connections(settings: Settings) -> Callable[..., asyncio.Protocol]:
    """Return what makes connections with bounds, a value of uvicorn's option ``http``."""
    return partial(_Connection, _Bounds(settings))


class _Bounds:
    """Bounds of the number of connections, in total and, without trusted proxies, per address.

    A connection above a bound replaces one that waits for its client: first one whose client does
    not read its answer, then the one that has waited longest. If there is none, it is refused.
    """

    def __init__(self, settings: Settings) -> None:
        # Those that do not read first, then by the time of waiting.
        self.waiting: OrderedDict[_Connection, None] = OrderedDict()
        self.refused: set[_Connection] = set()
        self.num_open = 0
        self.of_networks: Counter[str] = Counter()
        self.idle_seconds = settings.client_seconds
        self._most = settings.connections
        self._most_of_one = self._most
        if settings.forwarded_allow_ips is None:
            self._most_of_one //= _SHARE_OF_AN_ADDRESS

    def make_room(self, networks: dict[str, int]) -> bool:
        """Return whether there is a place for a connection, ending another one if necessary."""
        for network, share in networks.items():
            full = self.of_networks[network] >= share * self._most_of_one
            if full and not self._end_first(network):
                return False
        return self.num_open < self._most or self._end_first()

    def count(self, networks: dict[str, int], change: int) -> None:
        self.num_open += change
        observability.CONNECTIONS.inc(change)
        for network in networks:
            self.of_networks[network] += change
            if not self.of_networks[network]:
                del self.of_networks[network]

    def _end_first(self, network: str | None = None) -> bool:
        for connection in self.waiting:
            if network is None or network in connection.networks:
                connection.give_up()
                return True
        return False


class _Connection(H11Protocol):
    def __init__(self, bounds: _Bounds, *of: Any, **options: Any) -> None:
        super().__init__(*of, **options)
        self.networks: dict[str, int] = {}
        self._bounds = bounds
        self._is_open = False
        self._deadline: asyncio.TimerHandle | None = None
        self._unread = 0  # bytes, when the wait for the client began

    def connection_made(self, transport: asyncio.Transport) -> None:
        peer = transport.get_extra_info("peername")
        self.networks = networks_of(peer[0] if peer else "")
        if not self._bounds.make_room(self.networks):
            self._refuse(transport)
            return
        super().connection_made(transport)
        self._is_open = True
        self._bounds.count(self.networks, 1)
        self._wait_for_client()

    def connection_lost(self, error: Exception | None) -> None:
        self._bounds.refused.discard(self)
        self._forget()
        self._set_deadline(None)
        if self.flow is not None:  # not refused
            super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if self._is_open:
            super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        self._serve()

    def on_response_complete(self) -> None:
        self._wait_for_client()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_client()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._serve()

    def send_400_response(self, msg: str) -> None:
        self.transport.write(_refusal(400, "the request is not HTTP, or its head is too long"))
        self.transport.close()

    def give_up(self) -> None:
        self._forget()
        self.transport.abort()

    def _refuse(self, transport: asyncio.Transport) -> None:
        observability.CONNECTIONS_REFUSED.inc()
        self.transport = transport
        if len(self._bounds.refused) >= _MAX_REFUSED:
            transport.abort()
            return
        # Closed at once, it would be reset before the client reads the answer.
        self._bounds.refused.add(self)
        transport.write(_refusal(503, "too many connections; try again", b"retry-after: 1\r\n"))
        transport.write_eof()
        self._set_deadline(self.loop.call_later(_REFUSAL_SECONDS, transport.abort))

    def _serve(self) -> None:
        """Clear the deadline if the server has to answer."""
        cycle = self.cycle
        asked = cycle is not None and not cycle.more_body and not cycle.response_complete
        if self._is_open and asked and not self.flow.write_paused:
            self._set_deadline(None)
            self._bounds.waiting.pop(self, None)

    def _wait_for_client(self) -> None:
        if self._is_open:
            self._unread = self.transport.get_write_buffer_size()
            self._bounds.waiting[self] = None
            self._bounds.waiting.move_to_end(self, last=not self.flow.write_paused)
            self._set_deadline(self.loop.call_later(self._bounds.idle_seconds, self._check_client))

    def _check_client(self) -> None:
        if self.transport.get_write_buffer_size() <= self._unread - _LEAST_READ:
            self._wait_for_client()
        else:
            self.give_up()

    def _set_deadline(self, deadline: asyncio.TimerHandle | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = deadline

    def _forget(self) -> None:
        if self._is_open:
            self._is_open = False
            self.connections.discard(self)
            self._bounds.waiting.pop(self, None)
            self._bounds.count(self.networks, -1)


def _refusal(status: int, message: str, headers: bytes = b"") -> bytes:
    body = json.dumps({"error": message}).encode()
    return (
        b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%s"
        b"connection: close\r\n\r\n%s"
        % (status, HTTPStatus(status).phrase.encode(), len(body), headers, body)
    )
