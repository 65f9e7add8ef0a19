"""Limits of requests; headers and metrics of answers."""

import asyncio

import pytest

from hangman_lab.server import bounds
from tests.server.harness import API, CHALLENGE


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
    answer = server.post(f"{API}/games", in_parts(*[b" "] * 100, pause=0.1), token)
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


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        *((path, "no-cache") for path in ("/", "/assets/main.js")),
        *((path, "no-store") for path in (f"{CHALLENGE}/my_status", f"{API}/daily", "/metrics")),
        *((path, "no-store") for path in (f"{API}/server", "/nothing")),
    ],
)
def test_answers_have_security_headers_and_head_is_get_without_a_body(start, path, caching):
    server = start()
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
