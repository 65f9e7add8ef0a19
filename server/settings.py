"""The settings of the server, which are the options of ``serve.py``."""

from __future__ import annotations

import ipaddress
from argparse import ArgumentTypeError
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.words import COMMON_ELSEWHERE, COMMON_IN_PLAY, DEFAULT_KNOWN, KNOWN_IN_PLAY
from hangman_lab.terminal.arguments import integer, nonnegative, real


def _proxies(text: str) -> str:
    """Validate a list of addresses and networks, or ``*``; the HTTP engine does not."""
    for part in text.split(","):
        try:
            if part.strip() != "*":
                ipaddress.ip_network(part.strip())
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error
    return text


def _option(default: Any, helps: str, metavar: str | None = None, **keywords: Any) -> Any:
    """Return a field whose metadata are the keywords of ``add_argument``."""
    helps += " (default: %(default)s)" if default is not None else ""
    keywords |= {"default": default, "help": helps, "metavar": metavar}
    return field(default=default, metadata=keywords)


_port, _processes = partial(integer, low=0, high=65_535), partial(integer, low=1, high=64)
_wrong, _prob = partial(integer, low=1, high=NUM_LETTERS), partial(real, low=0, high=1)
_rate = partial(real, low=0.001, high=1e9)


@dataclass
class Settings:
    """The settings of the server, each with the help of its option."""

    host: str = _option("127.0.0.1", "address to listen on", "ADDRESS")
    port: int = _option(8_000, "port, 0 for a free one", "N", type=_port)
    db: str = _option("hangman.sqlite3", "file of the database", "FILE")
    words: str | None = None  # the option that other commands have, too
    recorded_words: str | None = _option(None, "your own word list for recorded games", "FILE")
    run: str | None = _option(None, "a training run: its agents, words and split", "RUN_DIR")
    agent: str = _option("ppo", "agent for hints, or none", "NAME")
    agent_processes: int = _option(1, "processes of the agent", "N", type=_processes)
    known: float | None = _option(
        None,
        f"prior probability of the known words (default: {KNOWN_IN_PLAY}; {DEFAULT_KNOWN} with "
        "--common 0)",
        "P",
        type=_prob,
    )
    common: float | None = _option(
        None,
        "probability that a known word was chosen as people choose words (default: "
        f"{COMMON_IN_PLAY} with common practice words, 0 with web2 and for dictionary, else "
        f"{COMMON_ELSEWHERE})",
        "P",
        type=_prob,
    )
    max_wrong: int = _option(Rules.max_wrong, "wrong guesses that lose a game", "N", type=_wrong)
    recorded_hints: str = _option("marked", "hints in recorded games", choices=("marked", "off"))
    recorded_runs: int = _option(1_000, "recorded games per token", "N", type=nonnegative)
    kept_games: int = _option(50, "practice games to keep per player", "N", type=nonnegative)
    guests: int = _option(50_000, "guests to keep, 0 for none", "N", type=nonnegative)
    address_rate: float = _option(400, "requests per second per address", "RATE", type=_rate)
    forwarded_allow_ips: str | None = _option(None, "trusted proxies", "ADDRESS,...", type=_proxies)

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return Rules(self.max_wrong)
