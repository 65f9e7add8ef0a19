"""Time the guessers beside literal transcriptions of their sources, one core, in one run.

Each transcription (``literal_guessers.py``) gets states from the agent's own games, one at a time,
and must give the same scores: the same letter, or the same probabilities for those that draw. The
posterior's beam drops a part of the sum that its transcription takes in full, so that its letters
may differ, as it plays; its scores are compared without the beam.

    taskset -c 1 python benchmarks/guessers.py --words FILE --states 10
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import time

import numpy as np
from literal_guessers import (
    benchmark,
    best,
    decomposition,
    frequency,
    ngram,
    ngram_posterior,
    read_state,
    states_of_play,
)

from agents import make_agent
from envs.encoding import ALPHABET, BLANK
from envs.hangman.observation import select
from envs.words import load_word_list
from evaluation.arena import play

TRANSCRIPTIONS = {
    "benchmark": lambda agent, words: benchmark(words),
    "dictionary": lambda agent, words: benchmark(words, once_a_word=True, exclude=True),
    "overall-frequency": lambda agent, words: frequency(words, top_heavy=False),
    "top-heavy": lambda agent, words: frequency(words, top_heavy=True),
    "ngram": lambda agent, words: ngram(words),
    "decomposition": lambda agent, words: decomposition(words),
    "ngram-posterior": ngram_posterior,
}
# The posterior adds up in single precision.
TOLERANCES = {"ngram-posterior": 1e-5}


def measure(name: str, options: argparse.Namespace) -> None:
    """Time one agent and its transcription, and compare their scores."""
    words = load_word_list(options.words).words
    rng = np.random.default_rng(options.seed)
    secrets = [words[k] for k in rng.choice(len(words), options.games, replace=False)]
    # The secrets are left out of the list, as on unseen words, where candidates run out.
    listed = tuple(sorted(set(words) - set(secrets)))
    agent = make_agent(name).fit(listed)
    play(agent, secrets[:4])
    start = time.process_time()
    played = play(agent, secrets)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20

    literal = TRANSCRIPTIONS[name](agent, listed)
    states = states_of_play(agent, secrets[: 20 * options.states])
    if name == "ngram-posterior":
        # Unpruned sums over long runs of blanks take hours: the states are those with few blanks.
        few = np.flatnonzero((states["word"] == BLANK).sum(axis=1) <= 4)
        states = select(states, few)
    states = select(states, slice(0, options.states))
    score = agent.letter_probabilities if name == "ngram-posterior" else agent.letter_scores
    scores = score(states)
    scores[states["guessed"] != 0] = 0.0
    letters = scores.argmax(axis=1)
    if name == "ngram-posterior":
        agent.beam = 0.0
        scores = score(states)
    same_letters = same_scores = 0
    start = time.process_time()
    expected = [literal(*read_state(states, row)) for row in range(len(letters))]
    literal_seconds = time.process_time() - start
    for row, by_letter in enumerate(expected):
        wanted = np.array([by_letter.get(letter, 0.0) for letter in ALPHABET])
        tolerance = TOLERANCES.get(name, 1e-9 * max(wanted.max(), 1))
        same_scores += bool(np.abs(scores[row] - wanted).max() <= tolerance)
        same_letters += ALPHABET[letters[row]] == best(by_letter)
    turns = played.num_guesses.mean()
    literal_games = len(letters) / literal_seconds / turns if literal_seconds else math.inf
    print(
        f"| {name} | {len(played) / seconds:,.0f} | {literal_games:,.2f} "
        f"| {len(played) / seconds / literal_games:,.0f} | {same_letters} of {len(letters)} "
        f"| {same_scores} of {len(letters)} | {memory:.2f} |",
        flush=True,
    )
    if same_scores < len(letters):
        sys.exit(f"{name}: the scores are not those of the transcription")


def main() -> None:
    """Measure each agent in a process of its own, so that its peak memory is its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="word list, one word per line (default: web2)")
    parser.add_argument("--agents", nargs="+", default=list(TRANSCRIPTIONS))
    parser.add_argument("--games", type=int, default=1000, help="games that the agent plays")
    parser.add_argument("--states", type=int, default=5, help="turns of the transcription")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        measure(options.agents[0], options)
        return
    print("Games per second of processor time, on words outside the list.\n")
    print("| agent | games/s | transcription | factor | letters | scores | peak GiB |")
    print("| --- " * 7 + "|", flush=True)
    failed = []
    for name in options.agents:
        arguments = [sys.executable, __file__, "--alone", "--agents", name]
        arguments += ["--games", str(options.games), "--states", str(options.states)]
        arguments += ["--seed", str(options.seed)]
        arguments += ["--words", options.words] if options.words else []
        if subprocess.run(arguments, check=False).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
