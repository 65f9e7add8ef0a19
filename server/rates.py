"""Token buckets of addresses and their networks."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from functools import lru_cache

from hangman_lab.server.errors import RequestError

# Above this number, the least recently used bucket is evicted.
_MAX_BUCKETS = 20_000
# Rounding tolerance in seconds, for a client that waits as long as it is told.
_ROUNDING = 1e-9
# IPv6 networks that count as one address, in bits: a household may have a /48.
_IPV6_PREFIX = 48


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return the network whose limits an address shares, or "invalid"."""
    if address.startswith("["):  # a proxy may append the port
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "invalid"
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))


class Buckets:
    """Token buckets of networks; each holds ``burst`` tokens and gains ``rate`` per second."""

    def __init__(self, rate: float, burst: float) -> None:
        self.clock = time.monotonic
        self._rate = rate
        self._burst = burst
        # Tokens and the time of the last update, least recently used first.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, cost: float = 1.0) -> None:
        """Take tokens from the bucket of an address's network; 429 if it has too few."""
        network, now = network_of(address), self.clock()
        tokens, counted = self._buckets.get(network, (self._burst, now))
        tokens = min(self._burst, tokens + (now - counted) * self._rate)
        wait = (cost - tokens) / self._rate
        if wait > _ROUNDING:
            raise RequestError(429, "too many requests from this address; wait a moment", wait)
        self._buckets[network] = tokens - cost, now
        self._buckets.move_to_end(network)
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
