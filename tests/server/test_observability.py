"""What whoever runs the server sees of it: health, metrics, logs."""

import logging

from prometheus_client.parser import text_string_to_metric_families

from hangman_lab.server.observability import WithRequest
from tests.server.harness import API, CHALLENGE


def read_metrics(server):
    families = text_string_to_metric_families(server.get("/metrics").text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_server_is_alive_and_ready_as_long_as_its_database_answers(start, caplog):
    caplog.set_level(logging.INFO, "server")
    caplog.handler.addFilter(WithRequest())
    server = start()
    assert server.get("/healthz").text == "alive"
    assert server.get("/readyz").text == "ready"
    server.sql("ALTER TABLE server_state RENAME TO elsewhere")
    assert server.get("/healthz").status_code == 200
    refused = server.get("/readyz")
    assert refused.status_code == 503
    # The lines of the log name the request that is answered.
    failed, request = caplog.records[-2:]
    assert (failed.message, failed.cause) == (
        "the database failed",
        "no such table: server_state",
    )
    assert (request.path, request.status) == ("/readyz", 503)
    assert failed.request_id == request.request_id == refused.headers["x-request-id"]
    server.sql("ALTER TABLE elsewhere RENAME TO server_state")
    assert server.get("/readyz").status_code == 200


def test_metrics_count_games_guesses_and_requests_by_route(start):
    server = start(words=["noon"])
    token = server.token()
    before = read_metrics(server)
    game = server.new_game(token, recorded=True)
    for _ in range(2):
        server.guess(token, game, "n")
    for path in ("/nothing/1", "/nothing/2", f"{API}/games/{game}"):
        server.get(path, token)
    after = read_metrics(server)

    def grown(name, **labels):
        key = (name, *sorted(labels.items()))
        return after[key] - before.get(key, 0)

    assert grown("hangman_games_total", kind="recorded") == 1
    assert grown("hangman_guesses_total") == 1
    assert grown("hangman_commit_seconds_count") == 3
    for route, status, count in (
        (f"{CHALLENGE}/guess_letter", "200", 2),
        (f"{API}/games/{{game_id}}", "200", 1),
        ("none", "404", 2),
    ):
        assert grown("hangman_requests_total", route=route, status=status) == count
    # Paths are as many as clients like; so are the ids of games.
    assert not any(game in str(key) or "nothing" in str(key) for key in after)
