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
Rate = Annotated[float, Field(ge=0.001, le=_MOST)]


class Settings(BaseSettings):
    """Options: ``--max-wrong 8``, or ``HANGMAN_MAX_WRONG=8`` in the environment."""

    model_config = SettingsConfigDict(
        env_prefix="HANGMAN_", env_ignore_empty=True, frozen=True, allow_inf_nan=False
    )

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65_535, description="0 for a free port")
    db: str = Field("hangman.sqlite3", description="file of the database")
    words: str | None = Field(None, description="a word list, one word per line")
    practice_words: Literal["common", "all"] | None = Field(
        None, description="common by default if wordfreq is installed, without --words"
    )
    recorded_words: str | None = Field(None, description="your own word list for recorded games")
    run: str | None = Field(None, description="a training run, for its agents, words and split")
    agent: str | None = Field(None, description="agent for hints, or none; ppo by default")
    known: float = Field(0.5, ge=0, le=1, description="probability of words of the agent's list")
    forwarded_allow_ips: str | None = Field(
        None, description="trusted proxies, separated by commas"
    )
    max_wrong: int = Field(
        DEFAULT_MAX_WRONG, ge=1, le=NUM_LETTERS, description="wrong guesses that lose a game"
    )
    recorded_hints: Literal["marked", "off"] = Field(
        "marked", description="hints in recorded games: mark the game, or refuse"
    )
    recorded_runs: Count = Field(1_000, description="recorded games per token")
    practice_runs: Count = Field(100_000, description="practice games per token")
    open_games: Positive = Field(1_000, description="open games per token; at most 20 for a guest")
    address_rate: Rate = Field(400.0, description="requests per second per address")
    new_guest_rate: Rate = Field(0.5, description="new guests per second per address, after 300")
    guests: Count = Field(50_000, description="guests to keep; 0 for none")
    kept_games: Count = Field(50, description="finished practice games to keep per player")
    connections: int = Field(8_000, ge=10, le=10**6, description="most open connections")
    client_seconds: float = Field(
        10.0, ge=0.1, le=60, description="time for a client to send a head, and for a body"
    )
    agent_processes: int = Field(1, ge=1, le=64, description="processes of the agent")

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _check_addresses(cls, text: str | None) -> str | None:
        for part in () if text is None else text.split(","):
            if part.strip() != "*":
                # The HTTP engine accepts any text and trusts nobody.
                ipaddress.ip_network(part.strip())
        return text
