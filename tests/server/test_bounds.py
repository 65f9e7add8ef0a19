"""What is too large is refused, and every answer has its headers."""

import asyncio
import logging

import httpx
import pytest

from hangman_lab.server import bounds
from tests.server.harness import API, CHALLENGE, ClockStopped, bearer


def test_a_body_is_read_in_pieces_and_refused_when_it_is_too_long(start):
    server = start()
    headers = {**bearer(server.token()), "Content-Type": "application/json"}

    async def chunks(*pieces):
        for piece in pieces:
            yield piece

    def post(content):
        return server.run(server.client.post(f"{API}/games", content=content, headers=headers))

    assert post(chunks(b'{"reco', b'rded": ', b"true}")).json()["recorded"] is True
    long = b'{"x": "' + b"y" * bounds.MAX_BODY + b'"}'
    for content in (long, chunks(long[:10_000], long[10_000:])):
        answer = post(content)
        assert answer.status_code == 413
        assert answer.json() == {"error": "the body is longer than 16,384 bytes"}


def test_a_refusal_above_a_rate_waits_and_nobody_else_does(start, monkeypatch):
    monkeypatch.setattr(bounds, "_REFUSAL_SECONDS", 1.0)
    server = start(address_rate=20)
    server.app.rates.clock = ClockStopped()
    for _ in range(20):
        server.get(f"{API}/server")
    done = []

    async def ask(address):
        transport = httpx.ASGITransport(server.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            done.append((await client.get(f"{API}/server")).status_code)

    async def ask_both():
        refused = asyncio.ensure_future(ask("127.0.0.1"))
        # Until it is held.
        for _ in range(500):
            await asyncio.sleep(0)
        await ask("192.0.2.1")
        await refused

    server.run(ask_both())
    assert done == [200, 429]


def test_a_method_of_any_length_is_in_no_log_line_and_no_metric(start, caplog):
    caplog.set_level(logging.INFO, "server")
    server = start()
    for length, status in ((10, 405), (bounds.MAX_TARGET, 414)):
        method = "M" + length * "A"
        answer = server.run(server.client.request(method, f"{API}/server"))
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
        assert method not in server.get("/metrics").text
    methods = [record.method for record in caplog.records if record.message == "request"]
    assert methods == ["other", "GET", "other", "GET"]


def test_a_body_with_two_lengths_is_refused(start):
    server = start()
    headers = {"Content-Length": "2", "Transfer-Encoding": "chunked"}
    answer = server.run(server.client.post(f"{API}/guests", content=b"{}", headers=headers))
    assert answer.status_code == 400
    assert "Content-Length, Transfer-Encoding" in answer.json()["error"]
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 201), (None, 201)]
)
def test_a_page_of_another_site_spends_nothing_of_its_visitors(start, site, status):
    headers = {} if site is None else {"Sec-Fetch-Site": site}
    server = start()
    answer = server.run(server.client.post(f"{API}/guests", headers=headers))
    assert answer.status_code == status
    assert server.count("players") == (status == 201)


def test_addresses_and_headers_that_are_too_long_are_refused(start):
    server = start()
    answer = server.get(f"{CHALLENGE}/my_status", access_token="x" * 3000)
    assert answer.status_code == 414
    assert answer.json() == {"error": "the method, path and query are longer than 2,048 bytes"}
    answer = server.get(f"{CHALLENGE}/my_status", headers={"X-Long": "x" * 17_000})
    assert (answer.status_code, list(answer.json())) == (431, ["error"])


@pytest.mark.parametrize(
    "path", ["/", "/assets/main.js", f"{CHALLENGE}/my_status", f"{API}/server", "/nothing"]
)
def test_every_answer_has_its_headers(start, path):
    headers = start().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    for part in ("default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"):
        assert part in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    expected = "no-cache" if path in ("/", "/assets/main.js") else "no-store"
    assert headers["cache-control"] == expected
