"""Token buckets, the networks that share one, and the rate of every request."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hangman_lab.server import rates
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, networks_of
from tests.server.harness import API, CHALLENGE, ClockStopped


def take(buckets, address, cost=1.0):
    """Return the seconds to wait; 0 where tokens were taken."""
    try:
        buckets.take(address, cost)
    except RequestError as error:
        return int(error.headers["Retry-After"])
    return 0


@example(0.125, 1.0, [1.4654762407405677, 0.32354461688146824, 0.0])
@given(st.floats(0.1, 100), st.floats(1, 100), st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_no_more_is_taken_than_burst_and_rate_allow(rate, burst, pauses):
    clock = ClockStopped()
    buckets = Buckets(rate, burst, clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        wait = take(buckets, "address")
        taken += wait == 0
        assert taken <= burst + rate * clock.now + 1e-6
        if wait:
            # After the wait that it tells, there is one.
            clock.now += wait
            assert take(buckets, "address") == 0
            taken += 1


def test_the_number_of_buckets_is_bounded_and_the_least_recently_used_goes(monkeypatch):
    monkeypatch.setattr(rates, "_MAX_BUCKETS", 3)
    buckets = Buckets(1.0, 2.0, ClockStopped())
    for number in (1, 2, 3, 1, 2, 4):
        assert take(buckets, f"192.0.2.{number}") == 0
    assert [take(buckets, f"192.0.2.{number}") for number in (1, 2)] == [1, 1]
    # The third bucket was evicted, which filled it.
    assert [take(buckets, "192.0.2.3") for _ in range(3)] == [0, 0, 1]
    assert len(buckets._buckets) == 3


def test_an_address_of_ipv6_shares_with_its_network():
    def shared(one, other):
        return len(networks_of(one).keys() & networks_of(other).keys())

    assert shared("2001:db8::1", "2001:db8::ffff:2") == 3
    assert shared("2001:db8::1", "2001:db8:0:1::1") == 2
    assert shared("2001:db8::1", "2001:db8:0:100::1") == 1
    assert shared("2001:db8::1", "2001:db8:1::1") == 0
    assert shared("192.0.2.1", "192.0.2.2") == 0
    assert networks_of("fe80::1%eth0") == networks_of("fe80::2")
    assert networks_of("no: address") == networks_of("x" * 14_000) == {"invalid": 1}
    assert networks_of("::ffff:192.0.2.1") == networks_of("192.0.2.1")


@pytest.mark.parametrize(
    ("network", "times"),
    [("2001:db8::%x:0:0", 1), ("2001:db8:0:%x::", 2), ("2001:db8:0:%x00::", 4)],
)
def test_the_networks_of_a_household_have_no_more_than_a_few_addresses(network, times):
    buckets = Buckets(1.0, 10.0, ClockStopped())
    waits = [take(buckets, network % number) for number in range(256)]
    assert waits.count(0) == 10 * times
    assert take(buckets, "2001:db9::1") == take(buckets, "192.0.2.1") == 0


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs",
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
    assert refused.json() == {"error": "too many requests of this address; wait a moment"}
    assert refused.headers["Retry-After"] == "1"
