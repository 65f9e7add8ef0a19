"""The settings of the server: each with its default and its range."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from envs.encoding import NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from server.database import DEFAULT_URL
from server.served_words import SERVED_PARTS

PREFIX = "HANGMAN_"
_MOST = 10**9
Count = Annotated[int, Field(ge=0, le=_MOST)]
Positive = Annotated[int, Field(ge=1, le=_MOST)]
# So that a wait has seconds that can be told.
Rate = Annotated[float, Field(ge=0.001, le=_MOST)]
Burst = Annotated[float, Field(ge=1, le=_MOST)]
Seconds = Annotated[float, Field(gt=0, le=3_600)]
Part = Literal[SERVED_PARTS]


class Settings(BaseSettings):
    """What the command line, the environment or a file sets. Rates are per second.

    In the environment a name is written in capitals after ``HANGMAN_``.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, allow_inf_nan=False, env_ignore_empty=True
    )

    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65_535)
    db: str = DEFAULT_URL
    words: str | None = None
    recorded_words: str | None = None
    split: Part | None = None
    practice_split: Part | None = None
    run: str | None = None
    agent: str | None = None
    # How likely the agent takes a word to be one that it was fitted on; the agent's own default
    # stands where nothing is said, since what knows it compiles kernels.
    known: float | None = Field(None, ge=0, le=1)
    # Proxies whose X-Forwarded-For is believed: addresses and networks, with commas between them.
    forwarded_allow_ips: str | None = None

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _check_addresses(cls, text: str | None) -> str | None:
        for part in () if text is None else text.split(","):
            if part.strip() != "*":
                # uvicorn would take anything, and trust nobody by it.
                ipaddress.ip_network(part.strip())
        return text

    max_wrong: int = Field(DEFAULT_MAX_WRONG, ge=1, le=NUM_LETTERS)
    # Whether hints are given in recorded games, which marks the game.
    recorded_hints: Literal["marked", "off"] = "marked"
    # Games that one token may begin, and games that it may have open at once.
    recorded_runs: Count = 1_000
    practice_runs: Count = 100_000
    open_games: Positive = 1_000
    guest_open_games: Positive = 20
    # Token buckets: so many requests at once, refilled at the rate. Clients that share a token
    # share its bucket; the defaults let 64 of them play as fast as two cores answer.
    request_rate: Rate = 2_000.0
    request_burst: Burst = 4_000.0
    guest_rate: Rate = 20.0
    guest_burst: Burst = 100.0
    # All guests of one address together, and the guests that it may make.
    guest_address_rate: Rate = 50.0
    guest_address_burst: Burst = 200.0
    new_guest_rate: Rate = 0.1
    new_guest_burst: Burst = 30.0
    # What an agent computes for one token, or for the guests of one address.
    agent_rate: Rate = 10.0
    agent_burst: Burst = 40.0
    # What one address may ask without a token: the leaderboard, tokens that are unknown.
    address_rate: Rate = 10.0
    address_burst: Burst = 100.0
    # How long a request above a rate waits for its refusal, so that asking faster gains nothing.
    refusal_seconds: float = Field(1.0, ge=0, le=60)
    # Guests that are remembered, and the idle hours after which one may be forgotten.
    guests: Count = 10_000
    guest_hours: float = Field(24.0, ge=0, le=10**6)
    # Bytes of a request's body, of its path and query, and of all its headers; seconds for a body.
    body_bytes: int = Field(16_384, ge=256, le=_MOST)
    body_seconds: Seconds = 10.0
    target_bytes: int = Field(2_048, ge=256, le=_MOST)
    header_bytes: int = Field(16_384, ge=1_024, le=_MOST)
    # Requests that are answered at once; connections, of everybody and of one address, and how
    # long one may stay silent.
    requests_at_once: Positive = 500
    connections: Positive = 1_000
    address_connections: Positive = 200
    idle_seconds: Seconds = 10.0
    # Processes in which the agent thinks; turns that wait for it, of everybody and of one player.
    agent_processes: int = Field(1, ge=1, le=64)
    agent_waiting: Positive = 64
    agent_waiting_each: Positive = 8
    # Games that are kept in memory; the others are read again when they go on.
    cached_games: Positive = 10_000


# What options of the command line have; the others are bounds, which --set changes.
OPTIONS = tuple(Settings.model_fields)[: list(Settings.model_fields).index("max_wrong")]
BOUNDS = tuple(name for name in Settings.model_fields if name not in OPTIONS)


def read_settings(
    assignments: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    env_file: str | None = None,
) -> Settings:
    """Return the settings: those given, else the environment's, the file's, or the defaults.

    Parameters
    ----------
    assignments : sequence of str
        Each ``NAME=VALUE``, as ``--set`` has them.
    options : mapping, optional
        Options of the command line by name; None where one was not given.
    env_file : str, optional
        A file with a line ``HANGMAN_NAME=VALUE`` for each setting.

    Raises
    ------
    InputError
        If a name is unknown, or a value has a wrong type or range.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    source = {name: f"--{name.replace('_', '-')}" for name in given}
    for assignment in assignments:
        name, separator, text = assignment.partition("=")
        if not separator:
            raise InputError(f"--set {assignment!r}: NAME=VALUE is expected")
        if name not in BOUNDS:
            raise InputError(f"--set: {name!r} is unknown; known are {', '.join(BOUNDS)}")
        given[name], source[name] = text, f"--set {name}"
    if env_file is not None and not Path(env_file).is_file():
        raise InputError(f"--env-file: {env_file} is not a file")
    try:
        return Settings(_env_file=env_file, **given)
    except (SettingsError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"--env-file: {env_file} cannot be read ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        allowed = first["msg"][0].lower() + first["msg"][1:]
        if first["type"] == "extra_forbidden":
            raise InputError(f"--env-file: {name.upper()} is not a setting") from error
        where = source.get(name, f"{PREFIX}{name.upper()}")
        raise InputError(f"{where}: {first['input']!r} is not allowed ({allowed})") from error
