"""What is too large is refused, and every answer has its headers."""

import logging

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
    long = b'{"x": "' + b"y" * 16_384 + b'"}'
    for content in (long, chunks(long[:10_000], long[10_000:])):
        answer = post(content)
        assert answer.status_code == 413
        assert answer.json() == {"error": "the body is longer than 16,384 bytes"}


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


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://server"}, 201),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_page_of_another_site_spends_nothing_of_its_visitors(start, headers, status):
    server = start()
    answer = server.run(server.client.post(f"{API}/guests", headers=headers))
    assert answer.status_code == status
    assert server.count("players") == (status == 201)


def test_an_address_that_is_too_long_is_refused(start):
    answer = start().get(f"{CHALLENGE}/my_status", access_token="x" * 3000)
    assert answer.status_code == 414
    assert answer.json() == {"error": "the method, path and query are longer than 2,048 bytes"}


def test_of_refusals_above_a_rate_one_per_second_is_logged(start, caplog):
    caplog.set_level(logging.INFO, "server")
    server = start(address_rate=20)
    server.app.rates.clock = ClockStopped()
    statuses = [server.get("/healthz").status_code for _ in range(60)]
    assert statuses.count(429) == 40
    logged = [record.status for record in caplog.records if record.message == "request"]
    assert logged.count(200) == 20
    assert 1 <= logged.count(429) < 40


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
