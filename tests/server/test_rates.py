"""Token buckets of networks, and the cost of requests."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hangman_lab.server import rates
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, network_of
from tests.server.harness import API, CHALLENGE, ClockStopped


def make(rate, burst, clock=None):
    buckets = Buckets(rate, burst)
    buckets.clock = clock or ClockStopped()
    return buckets


def take(buckets, address, cost=1.0):
    """Return the seconds to wait; 0 where tokens were taken."""
    try:
        buckets.take(address, cost)
    except RequestError as error:
        return int((error.headers or {})["Retry-After"])
    return 0


@example(0.125, 1.0, [1.4654762407405677, 0.32354461688146824, 0.0])
@given(st.floats(0.1, 100), st.floats(1, 100), st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_burst_and_rate_limit_what_is_taken(rate, burst, pauses):
    clock = ClockStopped()
    buckets = make(rate, burst, clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        wait = take(buckets, "address")
        taken += wait == 0
        assert taken <= burst + rate * clock.now + 1e-6
        if wait:
            # After the returned wait, a token is there.
            clock.now += wait
            assert take(buckets, "address") == 0
            taken += 1


def test_the_least_recently_used_bucket_is_evicted(monkeypatch):
    monkeypatch.setattr(rates, "_MAX_BUCKETS", 3)
    buckets = make(1.0, 2.0)
    for number in (1, 2, 3, 1, 2, 4):
        assert take(buckets, f"192.0.2.{number}") == 0
    assert [take(buckets, f"192.0.2.{number}") for number in (1, 2)] == [1, 1]
    # The third bucket was evicted, so that a full one replaces it.
    assert [take(buckets, "192.0.2.3") for _ in range(3)] == [0, 0, 1]
    assert len(buckets._buckets) == 3


def test_addresses_of_a_network_share_a_bucket():
    assert network_of("2001:db8::1") == network_of("2001:db8:0:ffff::1") == "2001:db8::/48"
    assert network_of("2001:db8::1") != network_of("2001:db8:1::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("no: address") == network_of("x" * 14_000)
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
    # A proxy may append the port.
    assert network_of("192.0.2.1:4711") == network_of("192.0.2.1")
    assert network_of("[2001:db8::1]:4711") == network_of("[2001:db8::1]") == "2001:db8::/48"
    buckets = make(1.0, 10.0)
    assert [take(buckets, f"2001:db8::{number:x}:0:0") for number in range(11)] == [0] * 10 + [1]
    assert take(buckets, "2001:db9::1") == take(buckets, "192.0.2.1") == 0


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/metrics",
        "/nothing",
        f"{API}/server",
        f"{API}/player",
        f"{CHALLENGE}/my_status",
    ],
)
def test_every_request_counts_towards_the_rate_of_its_address(start, path):
    server = start(address_rate=20)
    server.app.rates.clock = clock = ClockStopped()
    statuses = [server.get(path).status_code for _ in range(21)]
    assert 429 not in statuses[:20]
    assert statuses[20] == 429
    clock.now += 0.05
    assert server.get(path).status_code == statuses[0]
    refused = server.get(path)
    assert refused.json() == {"error": "too many requests from this address; wait a moment"}
    assert refused.headers["Retry-After"] == "1"
