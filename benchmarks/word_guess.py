"""Time of agents for every four-letter word of the default list at Cats and Dogs.

    python benchmarks/word_guess.py

Seconds are CPU time of one thread, fitting included, compilation not; the ratio is to the random
consistent guesser of the same run. The peak is that of the process with 10,000 words of four
letters, the matrix of answers included.
"""

import resource
import time

from agents.word_guess import WORD_GUESS_AGENTS, make_word_guess_agent
from envs.word_guess.answers import AnswerRule
from envs.word_guess.words import GuessWords, default_words, random_words
from evaluation.word_guess.arena import play

AGENTS = [name for name in WORD_GUESS_AGENTS if not name.startswith("filter")]
MAX_GUESSES = 128
LARGE_LIST = 10_000


def seconds_to_play(name, listed, rule):
    """Return the CPU seconds and the mean number of guesses over all secrets."""
    words = GuessWords(listed)
    agent = make_word_guess_agent(name)
    play(agent.fit(listed[:50], rule), rule, GuessWords(listed[:50]), listed[:50], MAX_GUESSES)
    start = time.process_time()
    played = play(agent.fit(listed, rule), rule, words, listed, MAX_GUESSES)
    return time.process_time() - start, float(played.num_guesses.mean())


def main():
    """Print the table."""
    rule = AnswerRule(4, True)
    listed = default_words(4)
    figures = {name: seconds_to_play(name, listed, rule) for name in AGENTS}
    base = figures["random-consistent"][0]
    print(f"{len(listed):,} words of four letters, every one the secret")
    for name, (seconds, mean) in figures.items():
        print(f"{name:18}  {seconds:7.2f} s  x{seconds / base:6.2f}  mean guesses {mean:.3f}")
    seconds, _ = seconds_to_play("minimax-greedy", random_words(LARGE_LIST, 4), rule)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"minimax-greedy on {LARGE_LIST:,} words: {seconds:.2f} s, peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
