"""What is too large is refused, and every answer has its headers."""

import asyncio

import pytest

from tests.server.harness import API, WIRE


@pytest.mark.parametrize("known_length", [True, False])
def test_a_body_that_is_too_long_is_refused(sqlite_start, known_length):
    server = sqlite_start(body_bytes=1000)
    body = b'{"recorded": false, "x": "' + b"y" * 1000 + b'"}'

    async def chunks():
        for first in range(0, len(body), 100):
            yield body[first : first + 100]

    async def post():
        return await server.client.post(
            f"{API}/games",
            content=body if known_length else chunks(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )

    token = server.token()
    answer = server.run(post())
    assert answer.status_code == 413
    assert answer.json() == {"error": "the body is longer than 1,000 bytes"}
    assert server.post(f"{API}/games", {}, token).status_code == 201


def test_a_body_in_pieces_is_read(sqlite_start):
    server = sqlite_start()
    token = server.token()

    async def chunks():
        for piece in (b'{"reco', b'rded": ', b"true}"):
            yield piece

    async def post():
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return await server.client.post(f"{API}/games", content=chunks(), headers=headers)

    assert server.run(post()).json()["recorded"] is True


def test_a_body_that_does_not_come_is_refused(sqlite_start):
    server = sqlite_start(body_seconds=0.05)
    headers = {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/json"}
    answers = []

    async def wait_forever():
        await asyncio.Event().wait()

    async def send(message):
        answers.append(message)

    async def post():
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"{API}/games",
            "query_string": b"",
            "headers": [
                (b"content-length", b"5"),
                *((name.lower().encode(), value.encode()) for name, value in headers.items()),
            ],
        }
        await server.app(scope, wait_forever, send)

    server.run(post())
    assert answers[0]["status"] == 408
    assert b"0.05 seconds" in answers[1]["body"]


def test_more_requests_at_once_than_allowed_are_refused(sqlite_start):
    server = sqlite_start(requests_at_once=3)
    token = server.token()
    answers = server.together(
        *(server.aget(f"{WIRE}/new_game", access_token=token) for _ in range(10))
    )
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses[:3] == [200] * 3
    assert statuses[-1] == 503
    busy = next(answer for answer in answers if answer.status_code == 503)
    assert busy.json() == {"error": "the server is busy; try again"}
    assert busy.headers["retry-after"] == "1"
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200


def test_a_refusal_above_a_rate_waits_and_takes_nobodys_place(sqlite_start):
    server = sqlite_start(
        address_rate=0.001, address_burst=1.0, refusal_seconds=1.0, requests_at_once=1
    )
    token = server.token()
    server.get(f"{WIRE}/my_status", access_token=token)
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


def test_a_path_and_query_that_are_too_long_are_refused(sqlite_start):
    server = sqlite_start()
    answer = server.get(f"{WIRE}/my_status", access_token="x" * 3000)
    assert answer.status_code == 414
    assert answer.json() == {"error": "the path and query are longer than 2,048 bytes"}


def test_headers_that_are_too_long_are_refused(sqlite_start):
    answer = sqlite_start().get(f"{WIRE}/my_status", headers={"X-Long": "x" * 17_000})
    assert answer.status_code == 431
    assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    "path", ["/", "/assets/main.js", f"{WIRE}/my_status", f"{API}/server", "/nothing"]
)
def test_every_answer_has_its_headers(sqlite_start, path):
    headers = sqlite_start().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    expected = "no-cache" if path in ("/", "/assets/main.js") else "no-store"
    assert headers["cache-control"] == expected
