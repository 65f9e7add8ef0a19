"""Connections of a server as a process: silent, slow, too many, behind a proxy."""

import json
import socket
import time
from contextlib import ExitStack

import pytest

from tests.server.load import ServerProcess, add_token

pytestmark = pytest.mark.slow

ATTACKER = "127.0.0.2"
SLOW = (
    b"POST /api/v1/games HTTP/1.1\r\nHost: server\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n{"
)


@pytest.fixture
def serve(tmp_path):
    """Start a server with settings; return the process, its port and a token."""
    words = tmp_path / "words.txt"
    words.write_text("banana\n")
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    with ExitStack() as stack:

        def serve(*options, **settings):
            assignments = [f"--set={name}={value}" for name, value in settings.items()]
            options = ("--words", words, "--agent", "none", *options, *assignments)
            process = ServerProcess(url, *options)
            stack.callback(process.close)
            process.start()
            return process, process.port, add_token(url, "alice")

        yield serve


@pytest.fixture
def connect():
    """Open connections that are closed at the end."""
    with ExitStack() as stack:

        def connect(port, address="127.0.0.1", send=b""):
            connection = socket.create_connection(
                ("127.0.0.1", port), timeout=10, source_address=(address, 0)
            )
            stack.enter_context(connection)
            connection.sendall(send)
            return connection

        yield connect


def get(connection, path="/healthz", headers=""):
    """Return the status, the headers and the body of an answer."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: server\r\n{headers}\r\n".encode())
    return read(connection)


def read(connection):
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        assert part, "the connection was closed"
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return int(status.split()[1]), headers, body.decode()


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_connections_that_wait_for_their_client_make_room(serve, connect):
    _, port, _ = serve(connections=20, address_connections=10, idle_seconds=60)
    silent = [connect(port, ATTACKER) for _ in range(10)]
    # The attacker's own oldest one goes, nobody else's.
    mine = connect(port)
    assert get(mine)[0] == 200
    assert get(connect(port, ATTACKER))[0] == 200
    assert is_closed(silent[0])
    for number in range(3, 12):
        for _ in range(2):
            connect(port, f"127.0.0.{number}")
    assert get(connect(port))[0] == 200


def test_slow_bodies_take_nobodys_place(serve, connect):
    process, port, token = serve(requests_at_once=2, connections=20, body_seconds=60)
    for _ in range(15):
        connect(port, ATTACKER, SLOW)
    path = f"/trexsim/hangman/my_status?access_token={token}"
    assert get(connect(port), path)[2] == "[0,0,0,0]"
    # Of other clients' connections, too.
    for _ in range(10):
        connect(port, ATTACKER, SLOW)
    assert get(connect(port), path)[2] == "[0,0,0,0]"
    assert process.end_within(10)


def test_a_connection_above_a_bound_is_told_when_to_come_back(serve, connect):
    _, port, _ = serve(
        address_connections=3, refusal_seconds=30, address_burst=1, address_rate=0.001
    )
    leaderboard = b"GET /api/v1/leaderboard HTTP/1.1\r\nHost: server\r\n\r\n"
    # Refusals are being held, so that these three are the server's to answer.
    assert read(connect(port, ATTACKER, leaderboard))[0] == 200
    for _ in range(3):
        connect(port, ATTACKER, leaderboard)
    time.sleep(0.3)
    # A client that has sent its request before it reads.
    status, headers, body = get(connect(port, ATTACKER))
    assert (status, headers["retry-after"]) == (503, "1")
    assert json.loads(body) == {"error": "too many connections; try again"}
    assert get(connect(port))[0] == 200


def test_a_silent_connection_is_closed(serve, connect):
    _, port, _ = serve(idle_seconds=0.2)
    assert is_closed(connect(port))
    # Also in the middle of its headers.
    assert is_closed(connect(port, send=b"GET / HTTP/1.1\r\nHost"))


@pytest.mark.parametrize("trusted", [True, False])
def test_addresses_are_those_that_a_trusted_proxy_tells(serve, connect, trusted):
    options = ("--forwarded-allow-ips", "127.0.0.1") if trusted else ()
    _, port, _ = serve(*options, address_burst=1, address_rate=0.001, refusal_seconds=0)
    statuses = [
        get(connect(port), "/api/v1/leaderboard", f"X-Forwarded-For: {address}\r\n")[0]
        for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
    ]
    assert statuses == ([200, 429, 200] if trusted else [200, 429, 429])


def test_head_is_answered_as_get_without_a_body(serve, connect):
    _, port, token = serve()
    connection = connect(port)
    for path in ("/", "/api/v1/server", "/assets/main.js"):
        status, headers, _ = get(connection, path)
        connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
        received = connection.recv(65536).decode()
        assert received.startswith(f"HTTP/1.1 {status} ")
        assert received.endswith("\r\n\r\n")
        assert f"content-length: {headers['content-length']}" in received.lower()
    # The wire contract begins games by GET.
    path = f"/trexsim/hangman/new_game?access_token={token}"
    connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
    assert connection.recv(65536).startswith(b"HTTP/1.1 405 ")
