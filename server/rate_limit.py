"""Token buckets: how many requests are allowed at once and in the long run."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable

Clock = Callable[[], float]


class TokenBucket:
    """Holds up to ``burst`` tokens, begins full and gains ``rate`` a second; a request takes one.

    The clock returns seconds; the rate is above 0, the burst at least 1.
    """

    def __init__(self, rate: float, burst: float, clock: Clock = time.monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._tokens = burst
        self._updated = clock()

    @property
    def is_full(self) -> bool:
        """Whether nothing has been taken that it has not gained again."""
        return self._tokens + (self._clock() - self._updated) * self.rate >= self.burst

    def take(self) -> float:
        """Take a token and return 0; without one, return the seconds until there will be one."""
        now = self._clock()
        self._tokens = min(self.burst, self._tokens + (now - self._updated) * self.rate)
        self._updated = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self.rate

    def give_back(self) -> None:
        """Put back a token that was taken."""
        self._tokens = min(self.burst, self._tokens + 1)


class Buckets:
    """One bucket per address, by :func:`network_of`; full ones are forgotten when there are many.

    When all of ``max_keys`` buckets are in use, the one that was made first goes.
    """

    def __init__(
        self, rate: float, burst: float, max_keys: int = 10_000, clock: Clock = time.monotonic
    ) -> None:
        self._make = lambda: TokenBucket(rate, burst, clock)
        self._max_keys = max_keys
        self._buckets: dict[str, TokenBucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, address: str) -> float:
        """Take a token from the bucket of an address, as :meth:`TokenBucket.take` does."""
        key = network_of(address)
        if key not in self._buckets:
            if len(self._buckets) >= self._max_keys:
                self._forget()
            self._buckets[key] = self._make()
        return self._buckets[key].take()

    def give_back(self, address: str) -> None:
        """Put back a token that was taken from the bucket of an address."""
        if bucket := self._buckets.get(network_of(address)):
            bucket.give_back()

    def _forget(self) -> None:
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full}
        while len(self._buckets) >= self._max_keys:
            del self._buckets[next(iter(self._buckets))]


def network_of(address: str) -> str:
    """Return what has one bound: an address, or the IPv6 network of 64 bits that a customer has."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        # As a socket for both kinds of address tells them.
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
