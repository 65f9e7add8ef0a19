"""Metrics for Prometheus, and the id of the request in log lines."""

from __future__ import annotations

import contextvars
import logging
import queue
import sys
from logging.handlers import QueueHandler, QueueListener

from prometheus_client import Counter, Gauge, Histogram
from pythonjsonlogger.json import JsonFormatter

REQUESTS = Counter("hangman_requests_total", "Answered requests", ["route", "status"])
REQUEST_SECONDS = Histogram("hangman_request_seconds", "Time to answer", ["route"])
GAMES = Counter("hangman_games_total", "Games begun", ["kind"])
GUESSES = Counter("hangman_guesses_total", "Stored guesses")
COMMIT_SECONDS = Histogram("hangman_commit_seconds", "Transactions that store games")
STORAGE_FAILURES = Counter("hangman_storage_failures_total", "Failed reads and writes", ["of"])
THINKING = Gauge("hangman_agent_waiting", "Turns of the agent, running or waiting")
THINK_SECONDS = Histogram("hangman_agent_seconds", "Turns of the agent, without their wait")

# Log lines that wait for standard error; further ones are dropped.
_MAX_WAITING = 10_000
request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("request_id", default=None)


class WithRequest(logging.Filter):
    """Adds the id of the current request to log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record."""
        if (of := request_id.get()) is not None:
            record.request_id = of
        return True


def log_to_stderr() -> QueueListener:
    """Log lines of JSON on standard error, from a thread of its own, so that no request waits."""
    lines = logging.StreamHandler(sys.stderr)
    names = {"asctime": "time", "levelname": "level"}
    lines.setFormatter(
        JsonFormatter(
            "{asctime}{levelname}{message}",
            "%Y-%m-%dT%H:%M:%S%z",
            style="{",
            rename_fields=names,
        )
    )
    waiting = QueueHandler(queue.Queue(_MAX_WAITING))
    waiting.addFilter(WithRequest())
    # A full queue is no error.
    logging.raiseExceptions = False
    for name, level in (("server", logging.INFO), ("_granian", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.addHandler(waiting)
        logger.propagate = False
    listener = QueueListener(waiting.queue, lines)
    listener.start()
    return listener
