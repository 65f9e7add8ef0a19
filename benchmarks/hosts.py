"""Games won against each host, by length, on train words, with 95% intervals.

    python -m benchmarks.hosts [--lengths 5 7] [--agents dictionary robust] [--runs RUN RUN]

The host who picks draws words by the mixed strategy of :func:`agents.robust.solve`. The evil host
plays one game against an agent that draws no letters.
"""

import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from hangman_lab.agents.minimax import search_words
from hangman_lab.agents.robust import solve
from hangman_lab.envs.words import SecretWords, load_word_list
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.intervals import win_rate_interval
from hangman_lab.run_files.agents import check_agent_names, find_run, load_run_agent
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import split_words
from hangman_lab.terminal.arguments import CommandParser, command_main, positive
from hangman_lab.terminal.tables import DataTable, print_table

_GAMES = 2000


def _win_rate(won: np.ndarray) -> str:
    low, high = win_rate_interval(won.sum(), len(won))
    return f"{100 * won.mean():.1f} ({100 * low:.1f} to {100 * high:.1f})"


@command_main("hosts")
def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--lengths", nargs="+", type=positive, default=[5], metavar="N")
    parser.add_argument("--agents", nargs="*", default=("dictionary", "ppo", "minimax", "robust"))
    parser.add_argument("--runs", nargs="*", default=[], metavar="RUN", help="of PPO alone")
    options = parser.parse_args(arguments)
    check_agent_names(options.agents, "--agents")
    train = split_words(Config(), load_word_list()).part("train")
    agents = {name: load_run_agent(name, find_run(None, [name]), train) for name in options.agents}
    for path in options.runs:
        run = RunDirectory.open(path)
        agents[path] = load_run_agent(run.load_config().learner.agents[0], run, train)
    rows = []
    for length in options.lengths:
        words = [word for word in train if len(word) == length]
        host = solve(search_words(SecretWords(words, length, length).encoded.codes)).host
        random = np.random.default_rng(0)
        picked = random.choice(words, _GAMES, p=host).tolist()
        drawn = random.choice(words, _GAMES).tolist()
        for name, agent in agents.items():
            cells = [_win_rate(play(agent, secrets).won) for secrets in (drawn, picked)]
            evil = play(agent, words if agent.draws else words[:1], evil_words=words)
            rows.append((str(length), name, *cells, f"{100 * evil.won.mean():.1f}"))
    headings = ("letters", "agent", "random", "picking", "evil")
    print_table(Console(), DataTable("games won against each host, %", headings, rows, 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
