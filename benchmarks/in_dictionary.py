"""Measure how often guessers win a word that is in their own list.

Agents are fitted on the whole list and play its words, as in Kushwaha's report (its benchmark) and
the 2010 article (its frequency guessers, where the sixth wrong guess loses too). The win rate of a
word of the list is not what it is on unseen words. Prints Markdown tables; with ``--plot``, draws
win rates by length.

    python benchmarks/in_dictionary.py --words FILE --repeats 10
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MultipleLocator

from agents import make_agent
from envs.words import load_word_list
from evaluation.arena import PlayedGames, play
from evaluation.statistics import hardest_words, win_rate_interval

# The 2010 article culls words that are won in more than a tenth of their games, and plays the
# hardest 2,000 times. It plays 50 and 500 games per word before; here it is as many as are needed.
HARD = 0.1
CULLING_GAMES = 256
HARDEST_GAMES = 2000


def rate(wins: int, games: int) -> str:
    """Return a win rate in percent and its 95% interval."""
    low, high = win_rate_interval(wins, games)
    return f"{100 * wins / games:.2f} ({100 * low:.2f} to {100 * high:.2f})"


def print_lengths(played: dict[str, PlayedGames]) -> None:
    """Print a table of win rates by length."""
    names = list(played)
    print("\n| length | words | " + " | ".join(names) + " |")
    print("| --- " * (2 + len(names)) + "|")
    lengths = next(iter(played.values())).lengths
    for length in [None, *np.unique(lengths)]:
        cells = []
        for games in played.values():
            chosen = lengths == length if length is not None else np.ones(len(games), dtype=bool)
            cells.append(rate(int(games.won[chosen].sum()), int(chosen.sum())))
        num_words = len(np.unique(games.word_index[chosen]))
        print(f"| {length or 'all'} | {num_words:,} | " + " | ".join(cells) + " |")


def print_words(played: dict[str, PlayedGames], words: list[str]) -> None:
    """Print a table of the win rates of some words."""
    print("\n| word | " + " | ".join(played) + " |")
    print("| --- " * (1 + len(played)) + "|")
    for word in words:
        cells = []
        for games in played.values():
            chosen = games.word_index == games.words.index(word)
            cells.append(rate(int(games.won[chosen].sum()), int(chosen.sum())))
        print(f"| {word} | " + " | ".join(cells) + " |")


def find_hardest(
    name: str, words: list[str], played: PlayedGames, count: int, seed: int
) -> PlayedGames:
    """Return ``HARDEST_GAMES`` games of each of the ``count`` hardest words.

    As the 2010 article does, culls the words in rounds and plays those that are left more often,
    with new draws. While words have fewer than ``CULLING_GAMES``, a round drops those whose 95%
    interval lies above ``HARD`` (or above the ``count`` hardest so far) and doubles the games of
    the others; words that are won more often than ``HARD`` may be missed by that. Four times
    ``count`` words then play ``HARDEST_GAMES``, which choose the hardest. These are played once
    more: the games that choose a word are won less often than the word is.
    """
    candidates = np.array(played.words, dtype=np.str_)
    wins = _wins_by_word(played)
    games = len(played) // len(candidates)
    while games < CULLING_GAMES:
        low, high = np.array([win_rate_interval(won, games) for won in range(games + 1)]).T
        last = np.sort(wins)[:count][-1]
        left = low[wins] <= min(max(HARD, last / games), high[last])
        candidates, wins = candidates[left], wins[left]
        print(f"{name}: {len(candidates):,} words have {games:,} games each", flush=True)
        seed += 1
        agent = make_agent(name, seed).fit(words)
        wins += _wins_by_word(play(agent, candidates.tolist(), played.max_wrong, games))
        games *= 2
    for kept in (4 * count, count):
        candidates = candidates[np.argsort(wins, kind="stable")[:kept]]
        seed += 1
        agent = make_agent(name, seed).fit(words)
        again = play(agent, candidates.tolist(), played.max_wrong, HARDEST_GAMES)
        wins = _wins_by_word(again)
    return again


def _wins_by_word(played: PlayedGames) -> np.ndarray:
    return np.bincount(played.word_index, weights=played.won).astype(np.int64)


def plot_lengths(played: dict[str, PlayedGames], title: str, path: Path) -> None:
    """Draw the win rates by length with their 95% intervals."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, games in played.items():
        lengths = np.unique(games.lengths)
        counts = [(games.lengths == length).sum() for length in lengths]
        wins = [games.won[games.lengths == length].sum() for length in lengths]
        rates = 100 * np.divide(wins, counts)
        bounds = 100 * np.array(
            [win_rate_interval(won, count) for won, count in zip(wins, counts, strict=True)]
        )
        errors = np.abs(bounds.T - rates)
        axes.errorbar(lengths, rates, errors, marker="o", markersize=4, capsize=2, label=name)
    axes.xaxis.set_major_locator(MultipleLocator(2))
    axes.set_ylim(0, 101)
    axes.set_xlabel("letters of the secret word")
    axes.set_ylabel("games won (%)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Play, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="word list, one word per line (default: web2)")
    parser.add_argument("--agents", nargs="+", default=["overall-frequency", "top-heavy"])
    parser.add_argument("--repeats", type=int, default=1, help="games per word")
    parser.add_argument("--min-length", type=int, default=1, help="leave out shorter words")
    parser.add_argument(
        "--games", type=int, default=10_000, help="play that many words, drawn at random; 0: all"
    )
    parser.add_argument("--play", nargs="+", metavar="WORD", help="play these words only")
    parser.add_argument("--hardest", type=int, default=0, metavar="N", help="list the N hardest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, help="PNG of the win rates by length")
    options = parser.parse_args()

    listed = load_word_list(options.words)
    words = [word for word in listed.words if len(word) >= options.min_length]
    secrets = options.play or words
    if options.games and not options.play:
        rng = np.random.default_rng(options.seed)
        chosen = rng.choice(len(words), min(options.games, len(words)), replace=False)
        secrets = [words[i] for i in chosen]
    print(listed.describe())
    print(f"{len(words):,} of {options.min_length} letters and more; {len(secrets):,} played")
    played = {}
    for name in options.agents:
        agent = make_agent(name, options.seed).fit(words)
        played[name] = games = play(agent, secrets, repeats=options.repeats)
        speed = len(games) / games.seconds
        print(f"{name}: {len(games):,} games, {speed:,.0f} per second", flush=True)
    if options.play:
        print_words(played, options.play)
    else:
        print_lengths(played)
    if options.hardest:
        for name in options.agents:
            again = find_hardest(name, words, played[name], options.hardest, options.seed)
            print(f"\nHardest for {name}, {HARDEST_GAMES:,} games each:")
            print_words({name: again}, hardest_words(again, options.hardest))
    if options.plot:
        title = (
            f"{len(secrets):,} words of {Path(listed.source).name}, secret in the list, "
            f"{options.repeats} games per word"
        )
        plot_lengths(played, title, options.plot)


if __name__ == "__main__":
    main()
