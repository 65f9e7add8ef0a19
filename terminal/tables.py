"""Tables of texts, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class DataTable:
    """A table of texts."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    num_text_columns: int = 1  #: The number of leading text columns; the rest are numbers.
    note: str = ""


def print_table(console: Console, table: DataTable) -> None:
    """Print one table."""
    shown = Table(
        title=escape(table.title),
        box=SIMPLE_HEAD,
        caption=escape(table.note),
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for number, heading in enumerate(table.headings):
        is_number = number >= table.num_text_columns
        shown.add_column(
            escape(heading),
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number,
        )
    for row in table.rows:
        shown.add_row(*map(escape, row))
    console.print(shown)
