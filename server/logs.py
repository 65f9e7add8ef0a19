"""Log lines as JSON: time, level, message, cause and the request that they belong to.

They tell no token: the wire contract has it in the query, which is left out.
"""

from __future__ import annotations

import contextvars
import logging
from typing import Any

# Of the request that is being answered.
request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("request_id", default=None)


class WithRequest(logging.Filter):
    """Adds the id of the request that is being answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; keep it."""
        if (of := request_id.get()) is not None:
            record.request_id = of
        # Of uvicorn's lines, which repeat the message in colours.
        record.__dict__.pop("color_message", None)
        return True


def log_config() -> dict[str, Any]:
    """Return the configuration of the logs, for uvicorn."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": WithRequest}},
        "formatters": {
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "fmt": "{asctime}{levelname}{message}",
                "style": "{",
                "rename_fields": {"asctime": "time", "levelname": "level"},
                "datefmt": "%Y-%m-%dT%H:%M:%S%z",
            }
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json",
                "filters": ["request"],
            }
        },
        "loggers": {
            "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            # The application has lines of its own for what it answers.
            "uvicorn.access": {"level": "WARNING"},
            "server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
    }
