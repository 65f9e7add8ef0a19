"""The HTTP engine with its bounds, as a process."""

import json
import socket

import pytest

from tests.server.load import serving

pytestmark = pytest.mark.slow
CHUNK = b"400\r\n" + b"A" * 1_024 + b"\r\n"
GAMES = b"POST /api/v1/games HTTP/1.1\r\nHost: server\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose clients have half a second, and which trusts a proxy at 127.0.0.2."""
    path = tmp_path_factory.mktemp("engine") / "games.sqlite3"
    options = ("--agent", "none", "--client-seconds=0.5", "--address-rate=30")
    options += ("--forwarded-allow-ips=127.0.0.2",)
    with serving(path, *options, words=["banana", "apple"]) as (process, _):
        yield process


def connect(server, source="127.0.0.1"):
    """Return a connection to the server."""
    return socket.create_connection(("127.0.0.1", server.port), 60, (source, 0))


def read(connection):
    """Return what the server sends until it ends the connection."""
    return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize("sent", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: server\r\n"])
def test_a_client_that_sends_no_request_is_disconnected(server, sent):
    with connect(server) as client:
        client.sendall(sent)
        assert read(client) == b""


def test_a_body_that_does_not_come_is_refused(server):
    with connect(server) as client:
        client.sendall(GAMES + b"Content-Length: 20\r\n\r\n{")
        head, _, body = read(client).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408")
    assert json.loads(body) == {"error": "the body was not sent within 0.5 seconds"}


def test_a_body_without_an_end_is_refused(server):
    with connect(server) as client:
        client.sendall(GAMES + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNK * 1_000)
        assert client.recv(1_000).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("lines", [b"a:\r\n" * 15_000, b"a: " + b"b" * 60_000 + b"\r\n"])
def test_a_head_that_is_too_long_is_refused(server, lines):
    with connect(server) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: server\r\n" + lines + b"\r\n")
        assert client.recv(1_000).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(("source", "shared"), [("127.0.0.2", False), ("127.0.0.3", True)])
def test_visitors_of_a_proxy_share_a_rate_unless_it_is_trusted(server, source, shared):
    request = b"GET /healthz HTTP/1.1\r\nHost: server\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n"
    with connect(server, source) as client:
        client.sendall(b"".join(request % number for number in range(200)))
        assert (b"429 Too Many Requests" in read(client)) == shared


def test_what_is_not_http_is_not_logged(server):
    with connect(server) as client:
        client.sendall(b"\x16\x03\x01" * 100)
        assert client.recv(1_000).startswith(b"HTTP/1.1 400")
    with connect(server) as client:
        client.sendall(b"GET /the-last-line HTTP/1.1\r\nHost: server\r\n\r\n")
        read(client)
    printed = server.read()
    assert "/the-last-line" in printed
    assert "\\u0016" not in printed


def test_a_server_that_is_stopped_answers_what_has_begun(tmp_path):
    path = tmp_path / "games.sqlite3"
    options = ("--agent", "none", "--client-seconds=1")
    with serving(path, *options, words=["banana"]) as (server, _), connect(server) as client:
        client.sendall(GAMES + b"Content-Length: 20\r\n\r\n{")
        server.end_within(60)
        assert server.process.returncode == 0
        assert "Traceback" not in server.read()
        assert read(client).startswith(b"HTTP/1.1 408")
