"""Gains of looking ahead and of PPO: three players on the same words.

    PYTHONPATH=. python benchmarks/ppo_gain.py --runs RUN_DIR ... [--split test] [--known 0.5]

The runs, of several seeds, play the same words: greedy on the posterior, the best letter by
look-ahead without any learning, and the policy after PPO. The p-value is that of a sign-flip test
of the mean difference in games won, two-sided, in which a word's games are flipped together. Then,
by tenths of the look-ahead's value of the letter guessed, how many of these games were won.
Without --runs it plays 500 of the pretrained policy's valid words.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from rich.console import Console
from scipy.stats import permutation_test

from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from agents.ppo.agent import PPOAgent
from envs.encoding import MAX_LENGTH
from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.words import PARTS, hash_words
from evaluation.arena import play
from evaluation.statistics import mean_interval
from evaluation.tables import DataTable, print_table
from runs.agents import load_run_agent
from runs.directory import PRETRAINED, RunDirectory
from runs.words import draw_words, load_words

NUM_FLIPS = 99_999
PLAYERS = ("greedy", "look-ahead", "after PPO")
CONTRASTS = (("after PPO", "greedy"), ("after PPO", "look-ahead"), ("look-ahead", "greedy"))


class BestByLookAhead(Agent):
    """Guesses the letter of the highest value by look-ahead, else the likeliest."""

    def __init__(self, policy: PPOAgent) -> None:
        self._policy = policy

    def act(self, observations, games=None):
        """Guess one letter in each game."""
        posterior, lives = self._policy.posterior, self._policy.network.look_ahead_lives
        belief = posterior.belief(observations)
        values = posterior.win_probabilities(observations, belief, lives)
        scores = np.where(np.isnan(values).all(axis=1, keepdims=True), belief.present, values)
        scores[observations["guessed"] != 0] = -np.inf
        return np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1)


class WithValues(Agent):
    """The policy; it keeps the look-ahead's value of every letter that it guesses, by game."""

    def __init__(self, policy: PPOAgent) -> None:
        self._policy = policy
        self.keys, self.values = [], []

    def act(self, observations, games=None):
        """Guess one letter in each game."""
        letters = self._policy.act(observations, games)
        posterior, lives = self._policy.posterior, self._policy.network.look_ahead_lives
        values = posterior.win_probabilities(observations, posterior.belief(observations), lives)
        chosen = values[np.arange(len(letters)), letters]
        self.keys.append(games[~np.isnan(chosen)])
        self.values.append(chosen[~np.isnan(chosen)])
        return letters


def main() -> None:
    """Play, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="+", metavar="RUN_DIR")
    parser.add_argument("--split", choices=PARTS, help="test; valid for the pretrained policy")
    parser.add_argument(
        "--known", type=float, default=DEFAULT_KNOWN, help="prior of known words, 0 to 1"
    )
    parser.add_argument("--games", type=int, help="so many words of the split; all by default")
    parser.add_argument("--max-length", type=int, default=MAX_LENGTH)
    options = parser.parse_args()
    if not 0 <= options.known <= 1:
        parser.error(f"--known: {options.known} is not in 0..1")
    split = options.split or ("test" if options.runs else "valid")
    paths = options.runs or [PRETRAINED]
    games = options.games or (None if options.runs else 500)
    words: list[str] = []
    won = {player: [] for player in PLAYERS}
    values, wins = [], []
    for path in paths:
        run = RunDirectory.open(path)
        parts = load_words(run.load_config()).parts
        short = [word for word in parts[split] if len(word) <= options.max_length]
        of_run = draw_words(short, len(short) if games is None else games)
        if words and of_run != words:
            raise InputError(f"{path}: its {split} words are not those of the others")
        words = of_run
        policy = load_run_agent("ppo", run, (), known=options.known)
        watched = WithValues(policy)
        players = (policy.posterior, BestByLookAhead(policy), watched)
        for player, agent in zip(PLAYERS, players, strict=True):
            won[player].append(play(agent, words).won)
        keys = keyed_bits(hash_words(words), np.zeros(len(words), dtype=np.int64))
        order = np.argsort(keys)
        played = order[np.searchsorted(keys[order], np.concatenate(watched.keys))]
        values.append(np.concatenate(watched.values))
        wins.append(won["after PPO"][-1][played])
    console = Console(width=140)
    _print_players(console, paths, won, f"{split} words, prior of known ones {options.known}")
    _print_contrasts(console, won, len(words))
    _print_reliability(console, np.concatenate(values), np.concatenate(wins))


def _print_players(console, paths, won, title) -> None:
    rows = [
        (str(path), *(f"{100 * won[player][number].mean():.2f}" for player in PLAYERS))
        for number, path in enumerate(paths)
    ]
    title = f"games won, %, on {len(won['greedy'][0]):,} {title}"
    print_table(console, DataTable(title, ("run", *PLAYERS), rows))


def _print_contrasts(console, won, num_words) -> None:
    for first, second in CONTRASTS:
        difference = np.array(won[first], dtype=float) - np.array(won[second], dtype=float)
        by_word = difference.mean(axis=0)
        mean, interval = mean_interval(by_word, np.arange(num_words))
        # Words without a difference change neither the mean nor its flips.
        changed = by_word[by_word != 0]
        p_value = 1.0
        if len(changed) > 1:
            p_value = permutation_test(
                (changed,),
                np.sum,
                permutation_type="samples",
                n_resamples=NUM_FLIPS,
                vectorized=True,
                batch=1000,
                rng=np.random.default_rng(0),
            ).pvalue
        console.print(
            f"{first} minus {second}: {100 * mean:+.2f} points ({100 * interval[0]:+.2f} to "
            f"{100 * interval[1]:+.2f}), won alone {(difference > 0).sum():,}, lost alone "
            f"{(difference < 0).sum():,}, p = {p_value:.5f} ({NUM_FLIPS:,} sign flips by word)",
            highlight=False,
        )


def _print_reliability(console, values, wins) -> None:
    tenth = np.minimum((10 * values).astype(int), 9)
    rows = [
        (f"{chosen.sum():,}", *(f"{100 * of[chosen].mean():.1f}" for of in (values, wins)))
        for chosen in (tenth == low for low in np.unique(tenth))
    ]
    title = "the look-ahead's value of the letter guessed, and games won"
    print_table(console, DataTable(title, ("states", "predicted, %", "won, %"), rows, 0))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"ppo_gain.py: error: {error}")
