"""The HTTP engine and its limits, as a process."""

import fcntl
import os
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.server.harness import API, bearer
from tests.server.load import add_token, serving

pytestmark = pytest.mark.slow
CHUNK = b"400\r\n" + b"A" * 1_024 + b"\r\n"
GAMES = b"POST /api/v1/games HTTP/1.1\r\nHost: server\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that trusts a proxy at 127.0.0.2."""
    path = tmp_path_factory.mktemp("engine") / "games.sqlite3"
    options = ("--agent", "none", "--address-rate=30", "--forwarded-allow-ips=127.0.0.2")
    with serving(path, *options, words=["banana", "apple"]) as (process, _):
        yield process


def connect(server, source="127.0.0.1"):
    """Return a connection to the server."""
    return socket.create_connection(("127.0.0.1", server.port), 60, (source, 0))


def read(connection):
    """Return what the server sends until it closes the connection."""
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_a_slow_head_times_out(server):
    begun = [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: server\r\n"]
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in begun]
        for client, part in zip(clients, begun, strict=True):
            client.sendall(part)
        assert [read(client) for client in clients] == [b""] * 3


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (GAMES + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNK * 1_000, b"413"),
        (GAMES + b"a: " + b"b" * 60_000 + b"\r\n\r\n", b"431"),
        (b"\x16\x03\x01" * 100, b"400"),
        (b"GET /metrics HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /metrics HTTP/1.1\r\nHost: server\r\nHost: server\r\n\r\n", b"400"),
    ],
)
def test_what_is_too_long_or_not_http_is_refused_and_not_logged(server, sent, status):
    with connect(server) as client:
        client.sendall(sent)
        assert client.recv(1_000).startswith(b"HTTP/1.1 " + status)
    assert "\\x16" not in server.read()
    with connect(server) as client:  # HTTP/1.0 has no Host
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert client.recv(1_000).startswith(b"HTTP/1.0 200")


@pytest.mark.parametrize(("source", "shared"), [("127.0.0.2", False), ("127.0.0.3", True)])
def test_visitors_of_a_proxy_share_a_rate_unless_it_is_trusted(server, source, shared):
    request = b"GET /metrics HTTP/1.1\r\nHost: server\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n"
    with connect(server, source) as client:
        client.sendall(b"".join(request % number for number in range(200)))
        assert (b"429 Too Many Requests" in read(client)) == shared


def test_a_stopped_server_finishes_requests(path):
    with serving(path, "--agent", "none", words=["banana"]) as (server, _):
        head = GAMES + b"Authorization: Bearer " + add_token(path, "alice").encode() + b"\r\n"
        with connect(server) as client:
            client.sendall(head + b"Content-Length: 2\r\n\r\n{")
            time.sleep(0.5)
            server.process.terminate()
            time.sleep(0.5)
            client.sendall(b"}")
            assert client.recv(1_000).startswith(b"HTTP/1.1 201")
        assert server.process.wait(60) == 0
        assert "Traceback" not in server.read()


def test_a_log_that_nobody_reads_holds_up_no_request(path):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4_096)
    with serving(path, "--agent", "none", words=["banana"], log=writer) as (_, address):
        path.rename(path.with_suffix(".moved"))
        for _ in range(100):
            assert requests.get(f"{address}{API}/daily", timeout=10).status_code == 503
    assert len(os.read(reader, 10_000)) > 3_500  # it is full
    os.close(reader)
    os.close(writer)


def children_of(server):
    """Return the ids of the processes that a server has started."""
    listed = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    children = [int(child) for each in listed for child in each.read_text().split()]
    # Until a child runs its own program, the server waits for it.
    own = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
    return [child for child in children if Path(f"/proc/{child}/cmdline").read_bytes() != own]


def test_a_hung_agent_is_replaced_and_does_not_keep_the_server(path):
    with serving(path, "--agent", "dictionary", words=["banana"]) as (server, address):
        headers = bearer(add_token(path, "alice"))
        begun = requests.post(f"{address}{API}/games", json={}, headers=headers)
        hint_path = f"{API}/games/{begun.json()['game_id']}/hint"

        def hint():
            return requests.post(f"{address}{hint_path}", headers=headers, timeout=10).status_code

        def stop_agent():
            for child in children_of(server):
                os.kill(child, signal.SIGSTOP)

        stop_agent()
        assert hint() == 503
        # Until the new process has loaded, hints are refused.
        assert any(hint() == 200 for _ in range(10))
        stop_agent()
        assert hint() == 503
        stop_agent()
        # It ends while the agent is being replaced, and hangs again.
        assert server.end(seconds=10) == 0
        assert "Traceback" not in server.read()


def test_the_processes_of_the_agent_end_with_a_server_that_is_killed(path, real_words):
    options = ("--agent", "dictionary", "--agent-processes", 2)
    with serving(path, *options, words=real_words) as (server, _):
        children = children_of(server)
        # Both are loaded before the server listens.
        assert len(children) > 2
    give_up = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < give_up, "a process still runs"
        time.sleep(0.05)
