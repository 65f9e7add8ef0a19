"""Token buckets of addresses and their networks."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from hangman_lab.server.errors import RequestError

# Above this number, the least recently used bucket is dropped.
_MAX_BUCKETS = 20_000
# Rounding tolerance in seconds, so that a client that waited as told is not refused.
_ROUNDING = 1e-9
# Prefix lengths of IPv6 networks and their share of an address's bound. A household may have 65,536
# networks of 64 bits.
_IPV6_SHARES = {64: 1, 56: 2, 48: 4}

Clock = Callable[[], float]


@lru_cache(4096)
def networks_of(address: str) -> dict[str, int]:
    """Return the networks of an address with their shares; invalid addresses are one network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return {"invalid": 1}
    if isinstance(parsed, ipaddress.IPv4Address):
        return {str(parsed): 1}
    if parsed.ipv4_mapped is not None:
        return {str(parsed.ipv4_mapped): 1}
    return {
        str(ipaddress.ip_network((parsed, bits), strict=False)): share
        for bits, share in _IPV6_SHARES.items()
    }


class Buckets:
    """Token buckets of networks; each holds ``burst`` tokens and gains ``rate`` per second."""

    def __init__(self, rate: float, burst: float, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self._rate = rate
        self._burst = burst
        # Tokens and the time of counting, least recently used first.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, cost: float = 1.0) -> None:
        """Take tokens of all networks of an address, or raise 429."""
        now, longest, left = self.clock(), 0.0, {}
        for network, share in networks_of(address).items():
            tokens, counted = self._buckets.get(network, (share * self._burst, now))
            tokens = min(share * self._burst, tokens + (now - counted) * share * self._rate)
            longest = max(longest, (cost - tokens) / (share * self._rate))
            left[network] = min(share * self._burst, tokens - cost), now
        if longest > _ROUNDING:
            raise RequestError(429, "too many requests of this address; wait a moment", longest)
        for network, state in left.items():
            self._buckets[network] = state
            self._buckets.move_to_end(network)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
