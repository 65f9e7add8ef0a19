"""Logs that tell no token: the wire contract has it in the query."""

from __future__ import annotations

import copy
import logging
from typing import Any

from uvicorn.config import LOGGING_CONFIG


class WithoutQuery(logging.Filter):
    """Cuts the query off the address in uvicorn's access log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; keep it."""
        if isinstance(record.args, tuple) and len(record.args) == 5:
            client, method, target, version, status = record.args
            record.args = client, method, str(target).partition("?")[0], version, status
        return True


def log_config() -> dict[str, Any]:
    """Return uvicorn's logging configuration with queries left out of the access log."""
    config = copy.deepcopy(LOGGING_CONFIG)
    config["filters"] = {"without_query": {"()": WithoutQuery}}
    config["handlers"]["access"]["filters"] = ["without_query"]
    return config
