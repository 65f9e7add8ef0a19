"""The settings of the server: options of the command line and environment variables."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG

_MOST = 10**9
Count = Annotated[int, Field(ge=0, le=_MOST)]
Positive = Annotated[int, Field(ge=1, le=_MOST)]
# Requests per second; the wait for the next one has to be a number of seconds.
Rate = Annotated[float, Field(ge=0.001, le=_MOST)]


class Settings(BaseSettings):
    """What an operator sets: ``--max-wrong 8``, or ``HANGMAN_MAX_WRONG=8`` in the environment."""

    model_config = SettingsConfigDict(
        env_prefix="HANGMAN_",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
    )

    host: str = Field("127.0.0.1", description="where it listens")
    port: int = Field(8000, ge=0, le=65_535, description="0 takes a free one")
    db: str = Field("hangman.sqlite3", description="the file of the database")
    words: str | None = Field(None, description="a word list, one word per line")
    practice_words: Literal["common", "all"] | None = Field(
        None, description="common if not set, wordfreq is installed and --words is not given"
    )
    recorded_words: str | None = Field(None, description="an own list for recorded games")
    run: str | None = Field(None, description="a training run: its agents, words and split")
    agent: str | None = Field(None, description="who gives hints, or none; ppo if not set")
    known: float = Field(0.5, ge=0, le=1, description="how likely a word is of the agent's list")
    forwarded_allow_ips: str | None = Field(
        None, description="proxies whose X-Forwarded-For is believed, with commas between them"
    )
    max_wrong: int = Field(
        DEFAULT_MAX_WRONG, ge=1, le=NUM_LETTERS, description="wrong guesses that lose"
    )
    recorded_hints: Literal["marked", "off"] = Field(
        "marked", description="hints in recorded games mark the game, or are refused"
    )
    recorded_runs: Count = Field(1_000, description="recorded games that a token may begin")
    practice_runs: Count = Field(100_000, description="practice games that a token may begin")
    open_games: Positive = Field(1_000, description="open games of a token; a guest has at most 20")
    address_rate: Rate = Field(400.0, description="requests per second of an address")
    new_guest_rate: Rate = Field(0.1, description="guests per second that an address makes")
    guests: Count = Field(10_000, description="guests that are remembered; 0 for none")
    practice_days: float = Field(30.0, gt=0, description="days that a practice game is kept")
    connections: int = Field(800, ge=10, description="open ones; an address has a fifth")
    client_seconds: float = Field(10.0, gt=0, description="in which a client sends a request")
    agent_processes: int = Field(1, ge=1, le=64, description="processes in which the agent thinks")

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _check_addresses(cls, text: str | None) -> str | None:
        for part in () if text is None else text.split(","):
            if part.strip() != "*":
                # uvicorn would take anything, and trust nobody by it.
                ipaddress.ip_network(part.strip())
        return text
