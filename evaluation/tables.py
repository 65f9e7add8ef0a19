"""An evaluation as tables: once as data, shown in the terminal and on the report page alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from envs.encoding import NUM_LETTERS
from runs.agents import LEARNED_AGENTS

# Agents a table of lengths has beside each other in 80 columns.
_AGENTS_ABREAST = 4
_NUM_WORDS_PRINTED = 5
_NUM_FIRST_LETTERS = 4


@dataclass(frozen=True)
class DataTable:
    """A table of texts.

    Attributes
    ----------
    title, note : str
        The note says how to read it; it may be empty.
    headings : tuple of str
    rows : list of tuple of str
    num_text_columns : int
        So many of the first columns hold names; the others hold numbers.
    """

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    num_text_columns: int = 1
    note: str = ""


def played_kinds(evaluation: dict[str, Any]) -> list[str]:
    """Return which kinds of words were played, ``known`` or ``unseen``; none if it is not told."""
    return [kind for kind in ("known", "unseen") if evaluation["words"].get(kind)]


def name_words(evaluation: dict[str, Any]) -> str:
    """Return the kind of the words that were played: ``unseen words``, for titles."""
    return f"{' and '.join(played_kinds(evaluation))} words".strip()


def describe_games(evaluation: dict[str, Any]) -> str:
    """Return which words were played, how many, with which prior and how many wrong guesses."""
    words = evaluation["words"]
    counts = " and ".join(f"{words[kind]:,} {kind}" for kind in played_kinds(evaluation))
    parts = [f"{counts} {evaluation['split']} words of {words['source']}".strip()]
    if any(name in LEARNED_AGENTS for name in evaluation["agents"]):
        parts.append(f"prior of known words {evaluation['known']:g}")
    return ", ".join([*parts, f"{evaluation['max_wrong']} wrong guesses allowed"])


def make_tables(evaluation: dict[str, Any]) -> list[DataTable]:
    """Return all tables of an evaluation, as ``evaluate.py --json`` holds it."""
    return [
        agents_table(evaluation),
        *lengths_tables(evaluation),
        *([pairs_table(evaluation)] if evaluation.get("pairwise") else []),
        *(table for name in evaluation["agents"] for table in _word_tables(name, evaluation)),
        first_letters_table(evaluation, NUM_LETTERS),
    ]


def agents_table(evaluation: dict[str, Any]) -> DataTable:
    """Return the table of win rates; where both kinds of words were played, of each too."""
    kinds = played_kinds(evaluation)
    rows, note = [], "95% CI: Wilson interval; wrong, guesses: means per game"
    for name, figures in evaluation["agents"].items():
        num_known = figures.get("known", figures)["games"] if "known" in kinds else 0
        # The known words are those of the run; an agent may have been fitted on others.
        if figures["seen"] and figures["seen"] != num_known:
            note += f"; {name} was fitted on the words of {figures['seen']:,} games"
        rows.append(
            (
                name + (" (known)" if kinds == ["known"] else ""),
                *_win_rate_cells(figures),
                f"{figures['mean_wrong_guesses']:.2f}",
                f"{figures['mean_guesses']:.2f}",
                f"{figures['games_per_second']:,.0f}",
            )
        )
        if len(kinds) > 1:
            rows += [
                (f"{name} ({kind})", *_win_rate_cells(figures[kind]), "", "", "") for kind in kinds
            ]
    return DataTable(
        f"{evaluation['env']}, {describe_games(evaluation)}",
        ("agent", "games", "wins", "win rate", "95% CI", "wrong", "guesses", "games/s"),
        rows,
        note=note,
    )


def lengths_tables(evaluation: dict[str, Any]) -> list[DataTable]:
    """Return the win rates by word length, a few agents per table."""
    agents = evaluation["agents"]
    title = f"win rate by word length, {name_words(evaluation)}"
    names = list(agents)
    lengths = sorted(
        {int(length) for figures in agents.values() for length in figures["by_length"]}
    )
    tables = []
    for first in range(0, len(names), _AGENTS_ABREAST):
        part = names[first : first + _AGENTS_ABREAST]
        rows = []
        for length in lengths:
            cells = [agents[name]["by_length"][str(length)] for name in part]
            rates = (f"{cell['win_rate']:.1%}" for cell in cells)
            rows.append((str(length), f"{cells[0]['games']:,}", *rates))
        tables.append(DataTable(title, ("letters", "games", *part), rows, 0))
    return tables


def pairs_table(evaluation: dict[str, Any]) -> DataTable:
    """Return McNemar's comparison of each two agents."""
    rows = [
        (
            pair["first"],
            pair["second"],
            f"{pair['both_won']:,}",
            f"{pair['only_first_won']:,}",
            f"{pair['only_second_won']:,}",
            f"{pair['neither_won']:,}",
            f"{100 * pair['difference']:+.1f}",
            "<0.0001" if pair["p_value"] < 1e-4 else f"{pair['p_value']:.4f}",
        )
        for pair in evaluation["pairwise"]
    ]
    return DataTable(
        f"pairwise, on the same {name_words(evaluation)}",
        ("A", "B", "both", "only A", "only B", "none", "A-B", "p"),
        rows,
        2,
        note="words won by both, by one, by none; A-B: win rates in percentage points; "
        "p: McNemar, exact, two-sided, each pair on its own",
    )


def first_letters_table(evaluation: dict[str, Any], count: int) -> DataTable:
    """Return the letters that are guessed first."""
    rows = [
        (
            name,
            row["letter"],
            f"{row['games']:,}",
            f"{row['share']:.1%}",
            f"{row['hit_rate']:.1%}",
            f"{100 * row['ci95'][0]:.1f}-{100 * row['ci95'][1]:.1f}",
        )
        for name, figures in evaluation["agents"].items()
        for row in figures.get("first_letters", ())[:count]
    ]
    return DataTable(
        f"letters guessed first, and how often they are in the word, {name_words(evaluation)}",
        ("agent", "letter", "games", "share", "hits", "95% CI"),
        rows,
        2,
    )


def words_table(title: str, described: Sequence[dict[str, Any]]) -> DataTable:
    """Return words with how each went."""
    rows = [
        (
            row["word"],
            row["guesses"],
            f"{row['wins']}/{row['games']}",
            f"{row['mean_wrong_guesses']:.1f}",
        )
        for row in described
    ]
    return DataTable(
        title,
        ("word", "guesses in order", "won", "wrong"),
        rows,
        2,
        note="capital letters are not in the word",
    )


def print_comparison(console: Console, evaluation: dict[str, Any], with_words: bool = True) -> None:
    """Print the tables; if ``with_words``, also the words that stand out and first letters."""
    print_table(console, agents_table(evaluation))
    for table in lengths_tables(evaluation):
        print_table(console, table)
    if evaluation.get("pairwise"):
        print_table(console, pairs_table(evaluation))
    if not with_words:
        return
    for name in evaluation["agents"]:
        for table in _word_tables(name, evaluation, _NUM_WORDS_PRINTED):
            print_table(console, table)
    print_table(console, first_letters_table(evaluation, _NUM_FIRST_LETTERS))


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
        is_text = number < table.num_text_columns
        shown.add_column(
            escape(heading),
            justify="left" if is_text else "right",
            overflow="fold",
            no_wrap=not is_text,
        )
    for row in table.rows:
        shown.add_row(*map(escape, row))
    console.print(shown)


def _win_rate_cells(figures: dict[str, Any]) -> tuple[str, ...]:
    low, high = figures["ci95"]
    return (
        f"{figures['games']:,}",
        f"{figures['wins']:,}",
        f"{figures['win_rate']:.1%}",
        f"{100 * low:.1f}-{100 * high:.1f}",
    )


def _word_tables(
    name: str, evaluation: dict[str, Any], count: int | None = None
) -> list[DataTable]:
    figures = evaluation["agents"][name]
    parts = (
        ("hardest", figures.get("hardest_games", ())),
        ("easiest", figures.get("easiest_games", ())),
    )
    return [
        words_table(f"{kind} {name_words(evaluation)} for {name}", described[:count])
        for kind, described in parts
        if described
    ]
