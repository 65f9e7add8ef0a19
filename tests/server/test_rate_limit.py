"""Token buckets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rate_limit import Buckets, TokenBucket, network_of
from tests.server.harness import ClockStopped


def test_a_bucket_allows_its_burst_and_then_its_rate():
    clock = ClockStopped()
    bucket = TokenBucket(2.0, 3.0, clock)
    assert [bucket.take() for _ in range(3)] == [0.0] * 3
    assert bucket.take() == pytest.approx(0.5)
    clock.now += 0.5
    assert bucket.take() == 0.0
    assert bucket.take() > 0
    clock.now += 100
    assert bucket.is_full
    assert [bucket.take() > 0 for _ in range(4)] == [False, False, False, True]


@given(
    st.floats(0.1, 100),
    st.floats(1, 100),
    st.lists(st.floats(0, 10), min_size=1, max_size=50),
)
def test_no_more_is_taken_than_burst_and_rate_allow(rate, burst, pauses):
    clock = ClockStopped()
    bucket = TokenBucket(rate, burst, clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        wait = bucket.take()
        taken += wait == 0.0
        assert taken <= burst + rate * clock.now + 1e-6
        if wait:
            # After the wait that it tells, there is one.
            clock.now += wait + 1e-9
            assert bucket.take() == pytest.approx(0.0)
            taken += 1


def test_keys_have_buckets_of_their_own_and_full_ones_are_forgotten():
    clock = ClockStopped()
    buckets = Buckets(1.0, 1.0, max_keys=3, clock=clock)
    assert [buckets.take(key) for key in "abc"] == [0.0] * 3
    assert buckets.take("a") > 0
    clock.now += 1
    assert buckets.take("d") == 0.0
    assert len(buckets) == 1


def test_the_number_of_buckets_is_bounded_when_all_are_in_use():
    buckets = Buckets(0.001, 1.0, max_keys=3, clock=ClockStopped())
    for number in range(100):
        assert buckets.take(str(number)) == 0.0
        assert len(buckets) <= 3


def test_an_address_of_ipv6_is_its_network():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:2")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("no: address") == "no: address"
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
