"""Evaluation of agents.

``from hangman_lab.evaluation import compare, review`` compares agents, and reviews a game, in a
program or a notebook.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hangman_lab.evaluation.comparison import compare
    from hangman_lab.evaluation.reviews import review

__all__ = ["compare", "review"]

_MODULES = {"compare": "comparison", "review": "reviews"}


def __getattr__(name: str) -> Any:
    # Imported lazily because plotting and policies take long to import.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
