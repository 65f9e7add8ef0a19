"""Metrics for Prometheus, and the id of the request in log lines."""

from __future__ import annotations

import contextvars
import logging
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("hangman_requests_total", "Answered requests", ["route", "status"])
REQUEST_SECONDS = Histogram("hangman_request_seconds", "Time to answer", ["route"])
GAMES = Counter("hangman_games_total", "Games begun", ["kind"])
GUESSES = Counter("hangman_guesses_total", "Stored guesses")
COMMIT_SECONDS = Histogram("hangman_commit_seconds", "Transactions that store games")
STORAGE_FAILURES = Counter("hangman_storage_failures_total", "Failed reads and writes", ["of"])
CONNECTIONS = Gauge("hangman_connections", "Open connections")
CONNECTIONS_REFUSED = Counter("hangman_connections_refused_total", "Connections above a bound")
THINKING = Gauge("hangman_agent_waiting", "Turns of the agent, running or waiting")
THINK_SECONDS = Histogram("hangman_agent_seconds", "Turns of the agent, without their wait")

LOG_CONFIG = str(Path(__file__).with_name("logging.yaml"))
request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("request_id", default=None)


class WithRequest(logging.Filter):
    """Adds the id of the current request to log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record."""
        if (of := request_id.get()) is not None:
            record.request_id = of
        # uvicorn repeats the message in colors.
        record.__dict__.pop("color_message", None)
        return True
