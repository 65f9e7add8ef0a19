"""The final games of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress

from hangman_lab.agents import make_agent
from hangman_lab.envs.words import hash_words
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.tables import agents_table
from hangman_lab.run_files.words import draw_words
from hangman_lab.terminal.console import stage
from hangman_lab.terminal.tables import print_table
from hangman_lab.training.learners.base import FinalTable, Learner
from hangman_lab.training.validation import evil_words

# The number of train words.
_NUM_KNOWN = 10_000


def play_final_games(learner: Learner, progress: Progress) -> dict[str, dict[str, Any]]:
    """Play the tables of a learner, print them, and return the evaluations by name."""
    evaluations, tables = {}, learner.final_tables
    with stage(progress, "final games", len(tables), "tables") as advance:
        for table in tables:
            evaluations[table.name] = _play(table, learner, progress.console)
            advance(1)
    return evaluations


def _play(table: FinalTable, learner: Learner, console: Console) -> dict[str, Any]:
    config, parts = learner.config, learner.words.parts
    train_words = parts["train"]
    part: Sequence[str] = parts[table.part]
    agents = learner.final_agents(table.known)
    agents |= {
        "dictionary": make_agent("dictionary").fit(train_words),
        "random": make_agent("random", config.seed),
    }
    hashes = hash_words(train_words)
    match = Match(
        agents,
        part if table.part == config.final_split else draw_words(part, _NUM_KNOWN),
        learner.words.word_list,
        table.part,
        config.seed,
        config.env.max_wrong,
        known=table.known,
        known_words=hashes,
        fitted_words={name: hashes for name in agents if name != "random"},
        evil_words=evil_words(config, part),
    )
    evaluation = Comparison(match).to_dict()
    print_table(console, agents_table(evaluation))
    return evaluation
