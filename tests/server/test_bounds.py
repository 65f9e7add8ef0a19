"""What is too large is refused, and every answer has its headers."""

import asyncio

import pytest

from server import bounds
from tests.server.harness import API, WIRE


async def post_pieces(server, token, *pieces):
    """Begin a game with a body whose length is not told, or is if it is one piece."""

    async def chunks():
        for piece in pieces:
            yield piece

    return await server.client.post(
        f"{API}/games",
        content=pieces[0] if len(pieces) == 1 else chunks(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )


def test_a_body_is_read_in_pieces_and_refused_when_it_is_too_long(start):
    server = start()
    token = server.token()
    answer = server.run(post_pieces(server, token, b'{"reco', b'rded": ', b"true}"))
    assert answer.json()["recorded"] is True
    long = b'{"x": "' + b"y" * bounds.MAX_BODY + b'"}'
    for pieces in ([long], [long[:10_000], long[10_000:]]):
        answer = server.run(post_pieces(server, token, *pieces))
        assert answer.status_code == 413
        assert answer.json() == {"error": "the body is longer than 16,384 bytes"}
    assert server.post(f"{API}/games", {}, token).status_code == 201


def test_a_body_that_does_not_come_is_refused(start):
    server = start(client_seconds=0.05)
    answers = []

    async def wait_forever():
        await asyncio.Event().wait()

    async def send(message):
        answers.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": f"{API}/games",
        "query_string": b"",
        "headers": [(b"content-length", b"5")],
    }
    server.run(server.app(scope, wait_forever, send))
    assert answers[0]["status"] == 408
    assert b"0.05 seconds" in answers[1]["body"]


def test_more_requests_at_once_than_allowed_are_refused(start):
    server = start(connections=10)
    token = server.token()
    answers = server.together(
        *(server.aget(f"{WIRE}/new_game", access_token=token) for _ in range(20))
    )
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses[:5] == [200] * 5
    assert statuses[-1] == 503
    busy = next(answer for answer in answers if answer.status_code == 503)
    assert busy.json() == {"error": "the server is busy; try again"}
    assert busy.headers["retry-after"] == "1"
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200


def test_a_refusal_above_a_rate_waits_and_takes_nobodys_place(start, monkeypatch):
    monkeypatch.setattr(bounds, "_REFUSAL_SECONDS", 1.0)
    server = start(address_rate=0.001)
    server.app._max_open = 1
    token = server.token()
    server.get(f"{WIRE}/my_status", access_token=token)
    for _ in range(10):
        server.get(f"{API}/leaderboard")
    done = []

    async def ask(path, **query):
        answer = await server.aget(path, **query)
        done.append(answer.status_code)

    async def ask_both():
        refused = asyncio.ensure_future(ask(f"{API}/leaderboard"))
        # Until it is held.
        for _ in range(500):
            await asyncio.sleep(0)
        await ask(f"{WIRE}/my_status", access_token=token)
        await refused

    server.run(ask_both())
    assert done == [200, 429]


def test_addresses_and_headers_that_are_too_long_are_refused(start):
    server = start()
    answer = server.get(f"{WIRE}/my_status", access_token="x" * 3000)
    assert answer.status_code == 414
    assert answer.json() == {"error": "the path and query are longer than 2,048 bytes"}
    answer = server.get(f"{WIRE}/my_status", headers={"X-Long": "x" * 17_000})
    assert (answer.status_code, list(answer.json())) == (431, ["error"])


@pytest.mark.parametrize(
    "path", ["/", "/assets/main.js", f"{WIRE}/my_status", f"{API}/server", "/nothing"]
)
def test_every_answer_has_its_headers(start, path):
    headers = start().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    expected = "no-cache" if path in ("/", "/assets/main.js") else "no-store"
    assert headers["cache-control"] == expected
