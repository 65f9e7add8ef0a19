"""The exception for invalid input, and checks of arguments."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any


class InputError(ValueError):
    """Invalid input. The message is one line: what is wrong, where, and what is allowed.

    Commands print it and exit with status 2; in Python code it is a ``ValueError``.
    """


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Raise InputError if the value of the argument ``name`` is not among the allowed values."""
    allowed = tuple(allowed)
    if not (isinstance(value, str) and value in allowed):
        raise InputError(f"{name}: {value!r} is not one of {allowed}")


def check_options(options: Any, *allowed: str) -> dict[str, Any]:
    """Return the options of ``reset`` as a dict; InputError if one is unknown."""
    if not isinstance(options, Mapping | None):
        raise InputError(f"options: {options!r} is not a mapping")
    for name in options or ():
        check_choice("options", name, allowed)
    return dict(options or {})


def check_integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return the value of the argument ``name`` as an int; InputError if it is out of range."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        allowed = f"from {least}" if most is None else f"in {least}..{most}"
        raise InputError(f"{name}: {value!r} is not an integer {allowed}")
    return number
