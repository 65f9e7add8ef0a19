"""Metrics of the server, for Prometheus."""

from prometheus_client import Counter, Gauge, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Counter(
    "hangman_requests_total", "Requests that were answered", ["method", "route", "status"]
)
REQUEST_SECONDS = Histogram(
    "hangman_request_seconds", "From a request to its answer", ["route"], buckets=_SECONDS
)
GAMES = Counter("hangman_games_total", "Games that were begun", ["kind"])
GUESSES = Counter("hangman_guesses_total", "Guesses that were stored")
COMMIT_SECONDS = Histogram(
    "hangman_commit_seconds",
    "Transactions that store games",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5),
)
STORAGE_FAILURES = Counter("hangman_storage_failures_total", "Reads and writes that failed", ["of"])
CONNECTIONS = Gauge("hangman_connections", "Open connections")
CONNECTIONS_REFUSED = Counter("hangman_connections_refused_total", "Connections above a bound")
THINKING = Gauge("hangman_agent_waiting", "Turns that wait for the agent")
THINK_SECONDS = Histogram(
    "hangman_agent_seconds", "Turns of the agent, without their wait", buckets=(*_SECONDS, 30)
)
