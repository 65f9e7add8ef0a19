"""Tables of an evaluation, for the terminal and the report page."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from hangman_lab.envs.hangman.rules import RULE_NAMES, Rules
from hangman_lab.evaluation.calibration import MAX_WORDS
from hangman_lab.run_files.agents import LEARNED_AGENTS
from hangman_lab.terminal.tables import DataTable, print_table

# The number of agents that fit side by side in 80 columns.
_AGENTS_PER_TABLE = 5
# The number of hardest words shown per agent; --json has more.
_NUM_WORDS = 5


def played_kinds(evaluation: dict[str, Any]) -> list[str]:
    """Return the kinds of words that were played, ``known`` or ``unseen``, if recorded."""
    return [kind for kind in ("known", "unseen") if evaluation["words"].get(f"num_{kind}")]


def name_words(evaluation: dict[str, Any]) -> str:
    """Return the kinds of words for titles, for example ``unseen words``."""
    return f"{' and '.join(played_kinds(evaluation))} words".strip()


def describe_games(evaluation: dict[str, Any]) -> str:
    """Describe the words, the prior and the rules."""
    words = evaluation["words"]
    counts = " and ".join(f"{words[f'num_{kind}']:,} {kind}" for kind in played_kinds(evaluation))
    part = "" if evaluation["split"] == "secrets" else f"{evaluation['split']} "
    parts = [f"{counts} {part}words of {words['source']}".strip()]
    learned = any(name in LEARNED_AGENTS for name in evaluation["agents"])
    if learned and evaluation["known"] is not None:
        parts.append(f"prior of known words {evaluation['known']:g}")
    if common := evaluation.get("common"):
        parts.append(f"probability that people chose a known word {common:g}")
    rules = Rules(**{name: evaluation[name] for name in RULE_NAMES if name in evaluation})
    parts.append(rules.describe())
    return ", ".join(parts)


def make_tables(evaluation: dict[str, Any], details: bool = True) -> list[DataTable]:
    """Return the tables of an evaluation, the main ones first; those of ``details`` last."""
    tables = [agents_table(evaluation), _worst_table(evaluation), _pairs_table(evaluation)]
    tables.insert(1, _reviews_table(evaluation))
    if details:
        tables += _lengths_tables(evaluation)
        tables += [_hardest_table(name, evaluation) for name in evaluation["agents"]]
    return [table for table in tables if table.rows]


def agents_table(evaluation: dict[str, Any], with_speed: bool = True) -> DataTable:
    """Return the table of win rates, in total and by kind of words."""
    kinds = played_kinds(evaluation)
    rows, note = [], "95% CI: Wilson interval; wrong, guesses: means per game"
    for name, statistics in evaluation["agents"].items():
        num_known = statistics.get("known_words", statistics)["games"] if "known" in kinds else 0
        # An agent may be fitted on other words than the known words of the run.
        if statistics["fitted"] and statistics["fitted"] != num_known:
            note += f"; {name} was fitted on the words of {statistics['fitted']:,} games"
        means = (f"{statistics['mean_wrong_guesses']:.2f}", f"{statistics['mean_guesses']:.2f}")
        speed = f"{statistics['games_per_second']:,.0f}" if statistics["games_per_second"] else ""
        label = name + (" (known)" if kinds == ["known"] else "")
        rows.append((label, *_win_rate_cells(statistics), *means, speed))
        if len(kinds) > 1:
            for kind in kinds:
                cells = _win_rate_cells(statistics[f"{kind}_words"])
                rows.append((f"{name} ({kind})", *cells, "", "", ""))
    columns = 8 if with_speed else 7
    return DataTable(
        f"{evaluation['env']}, {describe_games(evaluation)}",
        ("agent", "games", "wins", "win rate", "95% CI", "wrong", "guesses", "games/s")[:columns],
        [row[:columns] for row in rows],
        note=note,
    )


def _reviews_table(evaluation: dict[str, Any]) -> DataTable:
    """Return the table of what the guesses of agents were worth."""
    rows = []
    for name, statistics in evaluation["agents"].items():
        if review := statistics.get("review"):
            number, played = review["games"], statistics["games"]
            cells = [f"{number:,}" if number == played else f"{number:,} of {played:,}"]
            cells += (f"{review[f'mean_{kind}probability']:.1%}" for kind in ("", "agent_"))
            for mean in ("given_up", "dominated"):
                cells += _interval_cells(review[mean], review[f"{mean}_ci95"])
            rows.append((name, *cells))
    return DataTable(
        f"what guesses were worth, {name_words(evaluation)}".removesuffix(", words"),
        ("agent", "games", "letter", "policy", "given up", "95% CI", "dominated", "95% CI"),
        rows,
        note="letter, policy: mean probability, by the policy, that the letter of the agent, or "
        "that of the policy, was in the hidden part; given up: the most likely letter's "
        "probability less that of the agent's; dominated: guesses that no matching listed word "
        f"has; at most {MAX_WORDS:,} games; guesses of a game are a cluster",
    )


def _interval_cells(share: float, interval: tuple[float, float]) -> tuple[str, str]:
    low, high = interval
    return f"{share:.1%}", f"{100 * low:.1f}-{100 * high:.1f}"


def _worst_table(evaluation: dict[str, Any]) -> DataTable:
    """Return the table of the words that are lost most often."""
    rows = []
    for name, statistics in evaluation["agents"].items():
        if worst := statistics.get("worst"):
            rates = (f"{worst[rate]:.1%}" for rate in ("mean", "worst_tenth", "worst_word"))
            rows.append((name, f"{worst['repeat']}", *rates))
    return DataTable(
        f"win rate of the worst words, {name_words(evaluation)}",
        ("agent", "games per word", "mean", "worst tenth", "worst word"),
        rows,
        note="selected by every second game per word, measured by the other games",
    )


def _lengths_tables(evaluation: dict[str, Any]) -> list[DataTable]:
    """Return tables of win rates by word length, with up to five agents each."""
    agents = evaluation["agents"]
    title = f"win rate by word length, {name_words(evaluation)}"
    tables = []
    for start in range(0, len(agents), _AGENTS_PER_TABLE):
        names, rows = list(agents)[start : start + _AGENTS_PER_TABLE], []
        for length, first in agents[names[0]]["by_length"].items():
            rates = (f"{agents[name]['by_length'][length]['win_rate']:.1%}" for name in names)
            rows.append((length, f"{first['games']:,}", *rates))
        tables.append(DataTable(title, ("letters", "games", *names), rows, 0))
    return tables


def _pairs_table(evaluation: dict[str, Any]) -> DataTable:
    """Return the table of pairwise comparisons."""
    counts = ("both_won", "only_first_won", "only_second_won", "neither_won")
    rows = []
    for pair in evaluation.get("pairwise", ()):
        p_value = "<0.0001" if pair["p_value"] < 1e-4 else f"{pair['p_value']:.4f}"
        won, difference = (f"{pair[count]:,}" for count in counts), 100 * pair["difference"]
        rows.append((pair["first"], pair["second"], *won, f"{difference:+.1f}", p_value))
    return DataTable(
        f"pairwise, on the same {name_words(evaluation)}",
        ("A", "B", "both", "only A", "only B", "none", "A-B", "p"),
        rows,
        2,
        note="words won by both, by one, by none; A-B: win rates in percentage points; "
        "p: McNemar, exact, two-sided, not corrected for the number of pairs",
    )


def print_comparison(console: Console, evaluation: dict[str, Any], details: bool = False) -> None:
    """Print the tables, the main ones last; those of ``details`` come first."""
    for table in reversed(make_tables(evaluation, details)):
        print_table(console, table)


def _win_rate_cells(statistics: dict[str, Any]) -> tuple[str, ...]:
    counts = (f"{statistics['games']:,}", f"{statistics['wins']:,}")
    return (*counts, *_interval_cells(statistics["win_rate"], statistics["ci95"]))


def _hardest_table(name: str, evaluation: dict[str, Any]) -> DataTable:
    """Return the table of an agent's hardest words."""
    games = evaluation["agents"][name]["hardest_games"][:_NUM_WORDS]
    return DataTable(
        f"hardest {name_words(evaluation)} for {name}",
        ("word", "guesses in order", "wrong"),
        [(game["word"], game["guesses"], str(game["wrong_guesses"])) for game in games],
        2,
        note="capital letters are not in the word",
    )
