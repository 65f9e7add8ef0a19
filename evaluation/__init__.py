"""Evaluation of agents.

``from hangman_lab.evaluation import compare`` compares agents in a program or a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hangman_lab.evaluation.comparison import compare

__all__ = ["compare"]


def __getattr__(name: str) -> Any:
    # Imported lazily because plotting and policies take long to import.
    if name == "compare":
        from hangman_lab.evaluation.comparison import compare

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
