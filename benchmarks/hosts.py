"""What hosts who choose their words leave to guessers.

    python -m benchmarks.hosts games [--lengths 5 7] [--agents dictionary robust] [--runs RUN RUN]
    python -m benchmarks.hosts lives [--words FILE]
    python -m benchmarks.hosts bounds [--lengths 5 8] [--rounds 64 256] [--plot FILE]

games: those won on train words, with 95% intervals. The host who picks draws words by the mixed
strategy of :func:`agents.robust.solve`. The evil host plays one game against an agent that draws no
letters.

lives: the fewest that win every word for certain, whatever the host does. A range means that the
search stopped: fewer lives than its start lose, as many as its end win.

bounds: on the value of the game against the host who picks. Lower: the win rate of the worst word
of the guesser's mixture. Upper: what the best known response wins against the host's average, a
bound for certain only if no response wins more.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console

from hangman_lab.agents.minimax import NO_WIN, WIN, certain_win, search_tables
from hangman_lab.agents.robust import best_response, solve
from hangman_lab.envs.encoding import NUM_LETTERS, encode_words
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.word_sets import index_words
from hangman_lab.envs.words import load_word_list
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.intervals import win_rate_interval
from hangman_lab.run_files.agents import check_agent_names, find_run, load_run_agent
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import split_words
from hangman_lab.terminal.arguments import CommandParser, command_main, positive
from hangman_lab.terminal.tables import DataTable, print_table

_GAMES = 2000
# Search budgets, in words looked at: each is tried for all undecided numbers of lives.
_BUDGETS = 2**25, 2**28, 2**31


def _games(options: argparse.Namespace) -> DataTable:
    check_agent_names(options.agents, "--agents")
    train = split_words(Config(), load_word_list(options.words)).part("train")
    agents = {name: load_run_agent(name, find_run(None, [name]), train) for name in options.agents}
    for path in options.runs:
        run = RunDirectory.open(path)
        agents[path] = load_run_agent(run.load_config().learner.agents[0], run, train)
    rows = []
    for length in options.lengths:
        words = list(SecretWords(train, length, length).words)
        host = solve(search_tables(encode_words(words).codes)).host
        random = np.random.default_rng(0)
        picked = random.choice(words, _GAMES, p=host).tolist()
        drawn = random.choice(words, _GAMES).tolist()
        for name, agent in agents.items():
            cells = [f"{length}", name]
            for secrets in (drawn, picked):
                wins = play(agent, secrets).won.sum()
                low, high = win_rate_interval(wins, _GAMES)
                cells.append(f"{wins / _GAMES:.1%} ({100 * low:.1f} to {100 * high:.1f})")
            evil = play(
                agent, words if agent.draws else words[:1], Rules(host="evil"), host_words=words
            )
            rows.append((*cells, f"{evil.won.mean():.1%}"))
    headings = ("letters", "agent", "random", "picking", "evil")
    return DataTable("games won against each host", headings, rows, 2)


def _lives(options: argparse.Namespace) -> DataTable:
    index = index_words(load_word_list(options.words).words)
    words, table = search_tables(index.codes), np.zeros((2**23, 3), np.int64)
    fewest_lives(np.arange(min(3, len(words.keys))), words, table)  # compiles
    rows = []
    for length in np.flatnonzero(index.sizes()):
        listed = np.arange(*index.first_word[length : length + 2])
        start = time.monotonic()
        low, high = fewest_lives(listed, words, table)
        lives = f"{low} to {high}" if low < high else f"{low}"
        rows.append((f"{length}", f"{len(listed):,}", lives, f"{time.monotonic() - start:.1f}"))
    headings = ("letters", "words", "lives", "seconds")
    return DataTable("fewest lives that win for certain", headings, rows, 0)


def fewest_lives(rows, words, table):
    """Return a lower and an upper bound of the lives that win all words of ``rows`` for certain."""
    # Misses to spare: one less than the lives.
    low, high = 0, min(NUM_LETTERS, len(rows) - 1)
    for budget in _BUDGETS:
        for misses_left in range(high - 1, low - 1, -1):
            result, _ = certain_win(rows, misses_left, words, table, np.array([budget]))
            if result == WIN:
                high = misses_left
            elif result == NO_WIN:
                low = misses_left + 1
                break
    return low + 1, high + 1


def _bounds(options: argparse.Namespace) -> DataTable:
    listed = load_word_list(options.words).words
    figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
    rows = []
    for length in options.lengths:
        words, bounds = search_tables(SecretWords(listed, length, length).encoded.codes), []
        for rounds in options.rounds:
            solution = solve(words, rounds)
            host, rates = solution.host, 100 * solution.win_rates
            # Here all words that the host may draw are searched.
            words = words._replace(weights=1 + (2**40 * host / host.max()).astype(np.int64))
            responses = (best_response(words, width, min_part=2**24) for width in (1, 2, 3))
            upper = 100 * max(won @ host for won in responses)
            bounds.append((rates.min(), upper))
            cells = (f"{rate:.1f}" for rate in (*bounds[-1], upper - rates.min(), rates.mean()))
            rows.append((f"{length}", f"{len(host):,}", f"{rounds:,}", *cells))
        label = f"{length} letters"
        axes.fill_between(options.rounds, *np.transpose(bounds), alpha=0.4, label=label)
    if options.plot is not None:
        label = "games won, %: lower to upper bound"
        axes.set(xscale="log", xlabel="rounds", ylabel=label, ylim=(0, 100))
        axes.set_xticks(options.rounds, options.rounds)
        axes.minorticks_off()
        axes.legend()
        figure.savefig(options.plot, dpi=150)
    headings = ("letters", "words", "rounds", "lower", "upper", "gap", "mean")
    return DataTable("bounds on the games won, %", headings, rows, 0)


@command_main("hosts")
def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("table", choices=("games", "lives", "bounds"), nargs="?", default="games")
    parser.add_words()
    parser.add_argument("--lengths", nargs="+", type=positive, default=[5], metavar="N")
    parser.add_argument("--agents", nargs="*", default=("dictionary", "ppo", "minimax", "robust"))
    parser.add_argument("--runs", nargs="*", default=[], metavar="RUN", help="of PPO alone")
    parser.add_argument("--rounds", nargs="+", type=positive, default=[64], metavar="N")
    parser.add_argument("--plot", metavar="FILE", help="draw the bounds by rounds")
    options = parser.parse_args(arguments)
    table = {"games": _games, "lives": _lives, "bounds": _bounds}[options.table](options)
    print_table(Console(), table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
