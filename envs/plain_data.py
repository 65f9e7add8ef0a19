"""Arguments of environments as plain data, with which specs are stored and read again."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gymnasium.envs.registration import EnvSpec

from hangman_lab.envs.rewards import NAME_OF_REWARD
from hangman_lab.envs.words import NAMED_SOURCES, word_count

# The words that a list is printed with.
_PRINTED = 3


class _Words(tuple[str, ...]):
    """Words that are printed as their number and the first of them."""

    def __repr__(self) -> str:
        more = ", ..." if len(self) > _PRINTED else ""
        return f"<{word_count(len(self))}: {', '.join(self[:_PRINTED])}{more}>"

    def __deepcopy__(self, memo: Any) -> _Words:
        return self


class PlainSpec:
    """A base of environments whose ``spec`` has plain data, which JSON and YAML can store.

    Rewards of :mod:`envs.rewards` become dicts of name and parameters; other objects remain.
    """

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of ``gym.make``, None without it."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = None if spec is None else plain_spec(spec)


def plain_spec(spec: EnvSpec) -> EnvSpec:
    """Return a spec whose arguments are plain data, where they can be."""
    plain: dict[str, Any] = dict(spec.kwargs)
    for name in ("words", "allowed"):
        value = plain.get(name)
        if isinstance(value, str | Path):
            plain[name] = value if value in NAMED_SOURCES else os.path.abspath(value)
        elif value is not None:
            plain[name] = _Words(value)
    reward: Any = plain.get("reward")
    if type(reward) in NAME_OF_REWARD:
        plain["reward"] = {"name": NAME_OF_REWARD[type(reward)], "parameters": asdict(reward)}
    return replace(spec, kwargs=plain)
