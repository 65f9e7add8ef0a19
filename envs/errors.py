"""The exception for invalid input, and checks of arguments."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt


class InputError(ValueError):
    """Invalid input. The message is one line: what is wrong, where, and what is allowed.

    Commands print it and exit with status 2; in Python code it is a ``ValueError``. White space is
    one space, and a long message is cut in the middle, whatever values it quotes.
    """

    def __init__(self, message: str) -> None:
        text = " ".join(message.split())
        super().__init__(text if len(text) < 1000 else f"{text[:500]} ... {text[-400:]}")


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
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        allowed = f"from {least}" if most is None else f"in {least}..{most}"
        raise InputError(f"{name}: {value!r} is not an integer {allowed}")
    return number


def check_seeds(seed: Any, count: int) -> list[int | None]:
    """Return the seed of each game, ``seed + i`` for an int; InputError if one is invalid."""
    if as_array("seed", seed).ndim == 0:
        first = check_integer("seed", seed, 0)
        return list(range(first, first + count))
    if len(seed) != count:
        raise InputError(f"seed: {len(seed)} seeds for {count} games")
    return [None if each is None else check_integer("seed", each, 0) for each in seed]


def check_number(name: str, value: Any, least: float, most: float) -> float:
    """Return the value of the argument ``name``; InputError unless it is in ``least..most``."""
    # A comparison with a number of NumPy could overflow.
    number = value.item() if isinstance(value, np.generic) else value
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if is_number and least <= number <= most:
        return float(number)
    raise InputError(f"{name}: {value!r} is not a number in {least:g}..{most:g}")


def as_array(name: str, value: Any) -> npt.NDArray:
    """Return the argument ``name`` as an array; InputError if its rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InputError(f"{name}: {value!r} is not an array ({error})") from None


def check_numbers(name: str, value: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return what a caller's class or function has computed as an array.

    InputError unless it has this shape and is finite; NumPy's errors if it is not numeric.
    """
    array = np.asarray(value, dtype=np.float64)
    if array.shape != shape:
        raise InputError(f"{name}: an array of shape {array.shape} is not of shape {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name}: a number is NaN or infinite")
    return array


def check_state(state: Mapping[str, Any], expected: Mapping[str, npt.NDArray]) -> None:
    """Raise InputError if an array of a saved state is missing or has another shape or dtype.

    Called before any array is restored, so that a state is restored completely or not at all.
    """
    if not isinstance(state, Mapping):
        raise InputError("state: a dict of get_state is expected")
    for name, array in expected.items():
        saved: Any = state.get(name)
        is_array = isinstance(saved, np.ndarray)
        if not is_array or (saved.shape, saved.dtype) != (array.shape, array.dtype):
            what = f"an array of {array.dtype} of shape {array.shape}"
            raise InputError(f"state: {name!r} must be {what}")
