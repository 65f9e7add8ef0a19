"""Rates of addresses: token buckets, and the networks that share one."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from hangman_lab.server.errors import RequestError

# Of more buckets, the least recently used is forgotten, which fills it.
_MAX_BUCKETS = 20_000
# The bits of an IPv6 network, and how many times the bound of an address it has: a household may
# have 256 networks of 64 bits, or 65,536.
_IPV6_SHARES = {64: 1, 56: 2, 48: 4}

Clock = Callable[[], float]


@lru_cache(4096)
def networks_of(address: str) -> dict[str, int]:
    """Return the networks of an address, each with how many times an address's bound it has.

    An IPv4 address is a network of its own. What is no address is taken as it is.
    """
    if ":" not in address:
        return {address: 1}
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return {address: 1}
    if parsed.ipv4_mapped is not None:
        # How a socket for both kinds of address writes an IPv4 address.
        return {str(parsed.ipv4_mapped): 1}
    return {
        str(ipaddress.ip_network((parsed, bits), strict=False)): share
        for bits, share in _IPV6_SHARES.items()
    }


class Buckets:
    """A token bucket for each network: it begins with ``burst`` tokens and gains ``rate`` a second.

    It never holds more than the burst. The clock returns seconds; the rate is above 0, the burst
    at least 1.
    """

    def __init__(self, rate: float, burst: float, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self._rate = rate
        self._burst = burst
        # The tokens of a bucket and when they were counted, the least recently used first.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, cost: float = 1.0) -> None:
        """Take tokens from the buckets of an address's networks, of all or of none; else 429.

        The cost is at most the burst; a negative cost gives tokens back.
        """
        now, longest, taken = self.clock(), 0.0, {}
        for network, share in networks_of(address).items():
            tokens, counted = self._buckets.get(network, (share * self._burst, now))
            tokens = min(share * self._burst, tokens + (now - counted) * share * self._rate)
            longest = max(longest, (cost - tokens) / (share * self._rate))
            taken[network] = min(share * self._burst, tokens - cost), now
        if longest > 0:
            raise RequestError(429, "too many requests of this address; wait a moment", longest)
        for network, state in taken.items():
            self._buckets[network] = state
            self._buckets.move_to_end(network)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
