"""Limits of requests: bodies, origins, rates and costs; headers and metrics of answers."""

import asyncio
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hangman_lab.server import bounds, rates
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, network_of
from tests.server.harness import API, CHALLENGE

PATHS = ["/", "/assets/main.js", "/metrics", "/nothing", f"{CHALLENGE}/my_status"]
PATHS += [f"{API}/{name}" for name in ("daily", "player", "server")]


async def in_parts(*parts, pause=0.0):
    for part in parts:
        await asyncio.sleep(pause)
        yield part


def test_a_body_in_parts_is_read_and_refused_if_it_is_too_long(start_with_player):
    server, token = start_with_player()
    parts = in_parts(b'{"reco', b'rded": ', b"true}")
    assert server.post(f"{API}/games", parts, token).json()["recorded"] is True
    longest = b" " * (16_384 - 2) + b"{}"
    assert server.post(f"{API}/games", longest, token).status_code == 201
    for body in (b" " + longest, in_parts(longest[:10_000], longest[9_999:])):
        answer = server.post(f"{API}/games", body, token)
        assert answer.status_code == 413
        assert answer.json() == {"error": "the body is longer than 16,384 bytes"}


def test_all_parts_of_a_body_have_one_timeout(start_with_player, monkeypatch):
    monkeypatch.setattr(bounds, "CLIENT_SECONDS", 0.3)
    server, token = start_with_player()
    # Together they take five times as long.
    answer = server.post(f"{API}/games", in_parts(*[b" "] * 14, b"{}", pause=0.1), token)
    assert answer.status_code == 408
    assert answer.json() == {"error": "the body was not sent within 0.3 seconds"}


@pytest.mark.parametrize("site", ["same-origin", "same-site", "cross-site"])
def test_cross_site_requests_are_refused(start, site):
    server = start()
    headers = {"Sec-Fetch-Site": site}
    answer = server.run(server.client.post(f"{API}/guests", headers=headers))
    assert answer.status_code == (201 if site == "same-origin" else 403)
    assert server.count("players") == (site == "same-origin")
    # Links from other sites are followed.
    assert server.get("/", headers=headers).status_code == 200


def test_metrics_measure_requests_by_route_and_status(start_with_player):
    server, token = start_with_player()
    game = server.new_game(token)

    def count(route, status):
        key = f'hangman_request_seconds_count{{route="{route}",status="{status}"}} '
        _, _, rest = server.get("/metrics").text.partition(key)
        return float(rest.partition("\n")[0] or 0)

    routes = (f"{API}/games/{{game_id}}", 200), ("none", 404)
    before = [count(*route) for route in routes]
    # Labels are bounded, for unknown paths and for ids of games.
    for path in (f"{API}/games/{game}", "/nothing/1", "/nothing/2"):
        server.get(path, token)
    assert [count(*route) for route in routes] == [before[0] + 1, before[1] + 2]
    assert game not in server.get("/metrics").text


@pytest.mark.parametrize("path", PATHS)
def test_answers_have_security_headers_and_head_is_get_without_a_body(start, path):
    server = start()
    caching = "no-cache" if path in ("/", "/assets/main.js") else "no-store"
    head, get = server.run(server.client.head(path)), server.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    for headers in (head.headers, get.headers):
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        for part in ("default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"):
            assert part in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["cache-control"] == caching


def test_head_begins_no_game_and_guesses_no_letter(start_with_player):
    server, token = start_with_player()
    query = {"access_token": token, "game_id": server.new_game(token), "letter": "e"}
    for name in ("new_game", "guess_letter"):
        answer = server.run(server.client.head(f"{CHALLENGE}/{name}", params=query))
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert server.sql("SELECT guesses FROM games") == [("",)]


@pytest.mark.parametrize("hosts", [[""], ["a", "a"], ["a", ""], ["a, b"], ["a b"], ["a/b"]])
def test_a_request_has_one_host(start, hosts):
    server = start()
    answer = server.run(server.client.get("/", headers=[("Host", host) for host in hosts]))
    expected = {"error": "Host: one name or address is expected"}
    assert (answer.status_code, answer.json()) == (400, expected)
    for host in ("example.org:8000", "127.0.0.1", "[::1]:8000"):
        assert server.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("asked", ["bytes=0-9", "bytes=99999999-", "bytes=9-1", "bytes=a", "a"])
def test_a_range_is_ignored(start, asked):
    server = start()
    answer, whole = (server.get("/", headers=each) for each in ({"Range": asked}, {}))
    assert (answer.status_code, answer.content) == (200, whole.content)
    assert answer.headers["accept-ranges"] == "none"


def make(rate, burst):
    """Return buckets, and their clock, which is set by hand."""
    buckets = Buckets(rate, burst)
    buckets.clock = clock = Mock(return_value=0.0)
    return buckets, clock


def take(buckets, address):
    """Return the seconds to wait; 0 where a token was taken."""
    try:
        buckets.take(address)
    except RequestError as error:
        return int((error.headers or {})["Retry-After"])
    return 0


@example(0.125, 1.0, [1.4654762407405677, 0.32354461688146824, 0.0])
@given(st.floats(0.1, 100), st.floats(1, 100), st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_burst_and_rate_limit_what_is_taken(rate, burst, pauses):
    buckets, clock = make(rate, burst)
    taken = 0
    for pause in pauses:
        clock.return_value += pause
        wait = take(buckets, "address")
        taken += wait == 0
        assert taken <= burst + rate * clock() + 1e-6
        if wait:
            # After the returned wait, a token is there.
            clock.return_value += wait
            assert take(buckets, "address") == 0
            taken += 1


def test_the_least_recently_used_bucket_is_evicted(monkeypatch):
    monkeypatch.setattr(rates, "_MAX_BUCKETS", 3)
    buckets, _ = make(1.0, 2.0)
    # The third bucket is evicted, so that a full one replaces it.
    waits = [take(buckets, f"192.0.2.{number}") for number in (1, 2, 3, 1, 2, 4, 1, 2, 3, 3, 3)]
    assert waits == [0] * 6 + [1, 1, 0, 0, 1]
    assert len(buckets._buckets) == 3


def test_addresses_of_a_network_share_a_bucket():
    for network, addresses in {
        # A proxy may append the port.
        "2001:db8::/48": ("2001:db8::1", "2001:db8:0:f::1", "[2001:db8::1]", "[2001:db8::1]:4711"),
        "fe80::/48": ("fe80::1%eth0", "fe80::2"),
        "192.0.2.1": ("192.0.2.1", "192.0.2.1:4711", "::ffff:192.0.2.1"),
        "invalid": ("no: address", "x" * 14_000),
    }.items():
        assert {network_of(address) for address in addresses} == {network}
    buckets, _ = make(1.0, 2.0)
    waits = [take(buckets, f"2001:db8:{network}::1") for network in ("0", "0:1", "0:2", "1")]
    assert waits == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("name", "asked", "cost"),
    [
        *((None, path, 1) for path in PATHS),
        ("alice", f"{API}/player", 1),
        ("guest", f"{API}/player", 8),
        (None, f"{API}/leaderboard", 11),
        ("alice", "a hint", 11),
        ("guest", "a hint", 18),
    ],
)
def test_every_request_has_a_cost_for_its_address(start, dictionary, name, asked, cost):
    server = start(agent=dictionary, address_rate=20 * cost)
    server.app.rates.clock = clock = Mock(return_value=0.0)
    token = server.guest() if name == "guest" else name and server.token(name)
    game = server.new_game(token) if asked == "a hint" else None

    def ask():
        return server.get(asked, token) if game is None else server.hint(token, game)

    for _ in range(2):
        clock.return_value += 1.0
        assert 429 not in [ask().status_code for _ in range(20)]
        refused = ask()
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert refused.json() == {"error": "too many requests from this address; wait a moment"}
