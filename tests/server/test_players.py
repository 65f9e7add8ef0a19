"""Tokens, the rates of tokens and addresses, and guests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import players, store
from server.players import Buckets, network_of
from tests.server.harness import API, WIRE, ClockStopped


def statuses_of(server, token, number):
    return [server.get(f"{WIRE}/my_status", access_token=token).status_code for _ in range(number)]


def test_requests_above_the_rate_of_a_token_wait(start):
    server = start(token_rate=10)
    server.services.players._clock = clock = ClockStopped()
    token, other = server.token(), server.token("bob")
    assert statuses_of(server, token, 40) == [200] * 40
    refused = server.get(f"{WIRE}/my_status", access_token=token)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert refused.json() == {"error": "too many requests: this token; wait a moment"}
    assert statuses_of(server, other, 1) == [200]
    clock.now += 0.1
    assert statuses_of(server, token, 2) == [200, 429]


def test_unknown_tokens_reach_the_database_a_few_times_only(start, monkeypatch):
    server = start(address_rate=0.001)
    token = server.token()
    assert statuses_of(server, token, 1) == [200]
    looked_up = []
    find_player = store.find_player

    def counting(connection, token_hash):
        looked_up.append(token_hash)
        return find_player(connection, token_hash)

    monkeypatch.setattr(store, "find_player", counting)
    assert statuses_of(server, "x", 14) == [401] * 10 + [429] * 4
    assert len(looked_up) == 10
    # A token that is known is no guess.
    assert statuses_of(server, token, 1) == [200]


def test_the_guests_of_an_address_share_its_rate(start):
    server = start(address_rate=3)
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(2)]
    server.services.players._clock = ClockStopped()
    alice = server.token()
    assert statuses_of(server, alice, 1) == [200]
    assert [statuses_of(server, token, 7)[-1] for token in tokens] == [200, 429]
    assert statuses_of(server, alice, 1) == [200]


def test_an_address_makes_guests_slowly(start):
    server = start(new_guest_rate=0.01)
    assert [server.post(f"{API}/guests").status_code for _ in range(5)] == [201] * 3 + [429] * 2
    # Whoever has a token plays on.
    server.new_game(server.token())


def test_idle_guests_are_forgotten_when_there_are_too_many(start):
    server = start(guests=2, guest_hours=0, words=["a", "letter"])
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(2)]
    games = [server.new_game(token) for token in tokens]
    server.guess(tokens[0], games[0], "e")
    assert server.post(f"{API}/guests").status_code == 201
    assert [server.count(table) for table in ("players", "games", "guesses")] == [1, 0, 0]
    # The number of a guest that was forgotten is nobody else's.
    alice = server.token("alice")
    assert server.guess(alice, games[0], "e").status_code == 404
    assert server.sql("SELECT id FROM players WHERE name = 'alice'") == [(4,)]
    assert server.get(f"{WIRE}/new_game", access_token=tokens[0]).status_code == 401


def test_guests_that_never_played_make_room_first(start, monkeypatch):
    server = start(guests=2, words=["a"])
    token = server.post(f"{API}/guests").json()["token"]
    server.play(token)
    server.post(f"{API}/guests")
    refused = server.post(f"{API}/guests")
    assert refused.status_code == 503
    assert "too many guests" in refused.json()["error"]
    monkeypatch.setattr(players, "_UNUSED_GUEST_SECONDS", 0.0)
    assert server.post(f"{API}/guests").status_code == 201
    assert server.play(token)["status"] == "success"


def test_a_token_that_was_replaced_is_refused_within_a_second(start):
    server = start()
    old = server.token()
    server.services.players._clock = clock = ClockStopped()
    assert statuses_of(server, old, 1) == [200]
    server.sql("UPDATE players SET token_hash = 'another hash'")
    clock.now += 1
    assert statuses_of(server, old, 1) == [401]


@given(
    st.floats(0.1, 100),
    st.floats(1, 100),
    st.lists(st.floats(0, 10), min_size=1, max_size=50),
)
def test_no_more_is_taken_than_burst_and_rate_allow(rate, burst, pauses):
    clock = ClockStopped()
    buckets = Buckets(rate, burst, clock=clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        wait = buckets.take("key")
        taken += wait == 0.0
        assert taken <= burst + rate * clock.now + 1e-6
        if wait:
            # After the wait that it tells, there is one.
            clock.now += wait + 1e-9
            assert buckets.take("key") == pytest.approx(0.0)
            taken += 1


def test_the_number_of_buckets_is_bounded_and_the_least_recently_used_goes():
    buckets = Buckets(1.0, 1.0, max_keys=3, clock=ClockStopped())
    assert [buckets.take(key) for key in "abc"] == [0.0] * 3
    assert buckets.take("a") == 1.0
    assert buckets.take("d") == 0.0
    assert [buckets.take(key) for key in "ca"] == [1.0] * 2
    assert buckets.take("b") == 0.0
    assert len(buckets) == 3


def test_an_address_of_ipv6_is_its_network():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:2")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("no: address") == "no: address"
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
