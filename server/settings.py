"""The settings of the server."""

from __future__ import annotations

from dataclasses import dataclass

from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG


@dataclass
class Settings:
    """The options of ``serve.py`` with their defaults; ``--help`` describes them."""

    host: str = "127.0.0.1"
    port: int = 8_000  # 0: a free port
    db: str = "hangman.sqlite3"
    words: str | None = None
    recorded_words: str | None = None
    run: str | None = None
    agent: str = "ppo"
    agent_processes: int = 1
    known: float = 0.5
    max_wrong: int = DEFAULT_MAX_WRONG
    recorded_hints: str = "marked"  # or "off"
    recorded_runs: int = 1_000  # per token
    kept_games: int = 50  # finished practice games, per player
    guests: int = 50_000
    address_rate: float = 400  # requests per second
    forwarded_allow_ips: str | None = None
