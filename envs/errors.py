"""Refusing what a user gave: the one exception, and checks of options."""

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input. The message is one line: what was wrong, where, and what is allowed.

    The commands print it and exit with status 2; in a program it is a ``ValueError``.
    """


def check_choice(name: str, value: str, allowed: Iterable[str]) -> None:
    """Raise InputError if the value of the option ``name`` is none of those allowed."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise InputError(f"{name}: {value!r} is not one of {allowed}")


def check_options(options: Iterable[str] | None, *allowed: str) -> None:
    """Raise InputError if one of the options of ``reset`` is unknown."""
    for name in options or ():
        check_choice("options", name, allowed)


def check_at_least(name: str, value: int, least: int) -> None:
    """Raise InputError if the value of the option ``name`` is too low."""
    if value < least:
        raise InputError(f"{name}: {value} is below {least}")
