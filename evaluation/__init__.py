"""Playing agents and measuring what they do.

``from evaluation import compare`` compares agents in a program or a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.comparison import compare

__all__ = ["compare"]


def __getattr__(name: str) -> Any:
    # What plays, draws and loads policies is imported when it is asked for.
    if name == "compare":
        from evaluation.comparison import compare

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
