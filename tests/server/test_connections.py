"""Connections of a server as a process: silent, slow, too many, behind a proxy."""

import json
import socket
import time
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from tests.server.load import add_token, serving

pytestmark = pytest.mark.slow

ATTACKER = "127.0.0.2"
GET_LARGE = b"GET /assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: server\r\n\r\n"
SLOW = (
    b"POST /api/v1/games HTTP/1.1\r\nHost: server\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n{"
)


@pytest.fixture
def serve(tmp_path):
    """Start a server with settings; return the process, its port and a token."""
    path = tmp_path / "games.sqlite3"
    with ExitStack() as stack:

        def serve(*options):
            server = serving(path, "--agent", "none", *options, words=["banana"])
            process, _ = stack.enter_context(server)
            return process, process.port, add_token(path, "alice")

        yield serve


@pytest.fixture
def connect():
    """Open connections that are closed at the end."""
    with ExitStack() as stack:

        def connect(port, address="127.0.0.1", send=b"", buffer=None):
            connection = stack.enter_context(socket.socket())
            if buffer:
                # What the client's system reads although the client does not.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            connection.settimeout(10)
            connection.bind((address, 0))
            connection.connect(("127.0.0.1", port))
            connection.sendall(send)
            return connection

        yield connect


def get(connection, path="/healthz", headers="", method="GET"):
    """Return status, headers and body of an answer."""
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: server\r\n{headers}\r\n".encode())
    return read(connection, method)


def read(connection, method="GET"):
    answer = HTTPResponse(connection, method=method)
    answer.begin()
    return answer.status, answer.headers, answer.read().decode()


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_connections_that_wait_for_their_client_make_room(serve, connect):
    _, port, _ = serve("--connections=50", "--client-seconds=60")
    silent = [connect(port, ATTACKER) for _ in range(10)]
    # The attacker's own oldest one goes, nobody else's.
    mine = connect(port)
    assert get(mine)[0] == 200
    assert get(connect(port, ATTACKER))[0] == 200
    assert is_closed(silent[0])
    for number in range(3, 12):
        for _ in range(6):
            connect(port, f"127.0.0.{number}")
    assert get(connect(port))[0] == 200


# More than one answer, so that the next has to wait for the first to be read.
@pytest.mark.parametrize("sent", [3 * GET_LARGE, SLOW])
def test_answers_that_are_not_read_and_slow_bodies_take_nobodys_place(serve, connect, sent):
    process, port, token = serve("--connections=20", "--client-seconds=60")
    path = f"/trexsim/hangman/my_status?access_token={token}"
    for number in range(2, 7):
        for _ in range(5):
            connect(port, f"127.0.0.{number}", sent, buffer=4096)
        assert get(connect(port), path)[2] == "[0,0,0,0]"
    process.end_within(10)


def test_an_answer_that_is_not_read_has_a_deadline(serve, connect):
    _, port, _ = serve("--client-seconds=0.5")
    for count in (1, 3):
        connect(port, send=count * GET_LARGE, buffer=4096)
    give_up = time.monotonic() + 20
    operator = connect(port)
    while "hangman_connections 1.0\n" not in get(operator, "/metrics")[2]:
        assert time.monotonic() < give_up, "a connection stays"
        time.sleep(0.1)


def test_an_answer_may_be_read_slowly(serve, connect):
    _, port, _ = serve("--client-seconds=0.5")
    answer = HTTPResponse(connect(port, send=GET_LARGE, buffer=65_536))
    answer.begin()
    length = 0
    while part := answer.read(100_000):
        length += len(part)
        time.sleep(0.1)
    assert length == int(answer.headers["content-length"]) > 1_000_000


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + 20_000 * b"x"])
def test_what_is_no_request_is_refused_as_everything_else(serve, connect, sent):
    _, port, _ = serve()
    status, headers, body = read(connect(port, send=sent))
    assert (status, list(json.loads(body))) == (400, ["error"])
    assert headers["connection"] == "close"


def test_a_connection_above_a_bound_is_told_when_to_come_back(serve, connect):
    _, port, _ = serve("--connections=50", "--address-rate=0.001")
    leaderboard = b"GET /api/v1/leaderboard HTTP/1.1\r\nHost: server\r\n\r\n"
    for _ in range(18):
        assert read(connect(port, ATTACKER, leaderboard))[0] == 200
    # Refusals are held for a second, so that these ten are the server's to answer.
    for _ in range(10):
        connect(port, ATTACKER, leaderboard)
    time.sleep(0.2)
    # A client that has sent its request before it reads.
    status, headers, body = get(connect(port, ATTACKER))
    assert (status, headers["retry-after"]) == (503, "1")
    assert json.loads(body) == {"error": "too many connections; try again"}
    assert get(connect(port))[0] == 200


def test_a_silent_connection_is_closed(serve, connect):
    _, port, _ = serve("--client-seconds=0.2")
    assert is_closed(connect(port))
    # Also in the middle of its headers.
    assert is_closed(connect(port, send=b"GET / HTTP/1.1\r\nHost"))
    # And of its body.
    assert is_closed(connect(port, send=SLOW))


@pytest.mark.parametrize("trusted", [True, False])
def test_addresses_are_those_that_a_trusted_proxy_tells(serve, connect, trusted):
    options = ("--forwarded-allow-ips", "127.0.0.1") if trusted else ()
    _, port, _ = serve(*options, "--address-rate=0.001")
    statuses = [
        get(connect(port), "/api/v1/leaderboard", f"X-Forwarded-For: {address}\r\n")[0]
        for address in (*["192.0.2.1"] * 19, "192.0.2.2")
    ]
    assert statuses == [200] * 18 + ([429, 200] if trusted else [429, 429])


def test_head_is_answered_as_get_without_a_body(serve, connect):
    _, port, token = serve()
    connection = connect(port)
    for path in ("/", "/api/v1/server", "/assets/main.js"):
        status, headers, _ = get(connection, path)
        answer = get(connection, path, method="HEAD")
        assert answer[0] == status
        assert answer[1]["content-length"] == headers["content-length"]
    # The challenge's protocol begins games by GET.
    path = f"/trexsim/hangman/new_game?access_token={token}"
    assert get(connection, path, method="HEAD")[0] == 405
