"""Metrics for Prometheus, and log lines as JSON.

A log line has the time, level, message, cause and the request that it belongs to. It tells no
token: the wire contract has tokens in the query, which is left out.
"""

from __future__ import annotations

import contextvars
import logging
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Counter("hangman_requests_total", "Requests that were answered", ["route", "status"])
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
THINKING = Gauge("hangman_agent_waiting", "Turns of the agent, and those that wait")
THINK_SECONDS = Histogram(
    "hangman_agent_seconds", "Turns of the agent, without their wait", buckets=(*_SECONDS, 30)
)

# For uvicorn.
LOG_CONFIG = str(Path(__file__).with_name("logging.yaml"))
# Of the request that is being answered.
request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("request_id", default=None)


class WithRequest(logging.Filter):
    """Adds the id of the request that is being answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; keep it."""
        if (of := request_id.get()) is not None:
            record.request_id = of
        # uvicorn repeats the message in colours.
        record.__dict__.pop("color_message", None)
        return True
