"""The exception for invalid input, and checks of arguments."""

from collections.abc import Iterable


class InputError(ValueError):
    """Invalid input. The message is one line: what is wrong, where, and what is allowed.

    Commands print it and exit with status 2; in Python code it is a ``ValueError``.
    """


def check_choice(name: str, value: str, allowed: Iterable[str]) -> None:
    """Raise InputError if the value of the argument ``name`` is not among the allowed values."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise InputError(f"{name}: {value!r} is not one of {allowed}")


def check_options(options: Iterable[str] | None, *allowed: str) -> None:
    """Raise InputError if an option of ``reset`` is unknown."""
    for name in options or ():
        check_choice("options", name, allowed)


def check_at_least(name: str, value: int, least: int) -> None:
    """Raise InputError if the value of the argument ``name`` is below ``least``."""
    if value < least:
        raise InputError(f"{name}: {value} is below {least}")
