"""The bounds that the server keeps: every setting, its default, its range."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envs.encoding import NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG


class Settings(BaseModel):
    """What ``serve.py --set NAME=VALUE`` changes. Rates are per second."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    max_wrong: int = Field(DEFAULT_MAX_WRONG, ge=1, le=NUM_LETTERS)
    # Games that one token may begin, and games that it may have open at once.
    recorded_runs: int = Field(1_000, ge=0)
    practice_runs: int = Field(100_000, ge=0)
    open_games: int = Field(1_000, ge=1)
    guest_open_games: int = Field(20, ge=1)
    # Token buckets: so many requests at once, refilled at the rate. Clients that share a token
    # share its bucket; the defaults let 64 of them play as fast as two cores answer.
    request_rate: float = Field(2_000.0, gt=0)
    request_burst: float = Field(4_000.0, ge=1)
    guest_rate: float = Field(20.0, gt=0)
    guest_burst: float = Field(100.0, ge=1)
    # What an agent computes for one token: hints and games that it plays.
    agent_rate: float = Field(10.0, gt=0)
    agent_burst: float = Field(40.0, ge=1)
    # What one address may ask without a token: guests, the leaderboard, tokens that are unknown.
    address_rate: float = Field(10.0, gt=0)
    address_burst: float = Field(100.0, ge=1)
    # Guests that are remembered, and the idle hours after which one may be forgotten.
    guests: int = Field(10_000, ge=0)
    guest_hours: float = Field(24.0, ge=0)
    # Bytes of a request's body, of its path and query, and of all its headers; seconds for a body.
    body_bytes: int = Field(16_384, ge=256)
    body_seconds: float = Field(10.0, gt=0)
    target_bytes: int = Field(2_048, ge=256)
    header_bytes: int = Field(16_384, ge=1_024)
    # Requests that are answered at once, of everybody; connections that are open.
    requests_at_once: int = Field(500, ge=1)
    connections: int = Field(1_000, ge=1)
    # Games that are kept in memory; the others are read again when they go on.
    cached_games: int = Field(10_000, ge=1)


def read_settings(assignments: Sequence[str]) -> Settings:
    """Return the settings with some changed.

    Parameters
    ----------
    assignments : sequence of str
        Each ``NAME=VALUE``, as ``--set`` has them.

    Raises
    ------
    InputError
        If a name is unknown, or a value has a wrong type or range.
    """
    values = {}
    for assignment in assignments:
        name, separator, text = assignment.partition("=")
        if not separator:
            raise InputError(f"--set {assignment!r}: NAME=VALUE is expected")
        if name not in Settings.model_fields:
            known = ", ".join(Settings.model_fields)
            raise InputError(f"--set: {name!r} is unknown; known are {known}")
        values[name] = _number(text)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        allowed = first["msg"][0].lower() + first["msg"][1:]
        raise InputError(
            f"--set {first['loc'][0]}: {first['input']!r} is not allowed ({allowed})"
        ) from error


def _number(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    # What is not a number is refused with the others.
    return text
