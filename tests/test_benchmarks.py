"""The benchmarks on tiny inputs: they run and print their tables."""

import pytest

from benchmarks.known_limit import most_won
from benchmarks.prior import main as prior
from hangman_lab.agents import DictionaryAgent
from hangman_lab.evaluation.arena import play
from hangman_lab.run_files.directory import PRETRAINED
from tests.processes import assert_refused, run, run_main


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "printed"),
    [
        ("certain_win", ["--words", "WORDS"], "fewest lives"),
        ("env_throughput", ["--seconds", 0.1], "CartPole in NumPy"),
        ("forward_pass", ["--games", 20], "torch"),
        ("hosts", ["--lengths", 22, "--agents", "random", "--runs", PRETRAINED], "picking"),
        ("known_limit", ["--widths", 1, "--words", "WORDS"], "known words won"),
        ("picking_host", ["--lengths", 22, "--rounds", 2, 4, "--plot", "PLOT"], "lower"),
        ("ppo_gain", ["--runs", PRETRAINED, PRETRAINED, "--games", 40], "look-ahead minus"),
        ("prior", [], "bits per word"),
    ],
)
def test_a_benchmark_prints_its_results(name, arguments, printed, tinier_files, tmp_path):
    files = {"WORDS": tinier_files[1], "PLOT": tmp_path / "bounds.png"}
    arguments = [files.get(value, value) for value in arguments]
    done = run(f"benchmarks.{name}", *arguments)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_a_benchmark_refuses_bad_input_in_one_line(capsys):
    assert_refused(
        run_main(prior, capsys, "--run", "missing"), "prior.py", "missing: not the folder"
    )


def most_won_by_any_play(words, lives, guessed=frozenset()):
    hidden = set("".join(words)) - guessed
    if not hidden or lives == 0:
        return len(words) if lives else 0
    totals = []
    for letter in hidden:
        looks = {}
        for word in words:
            looks.setdefault(tuple(other == letter for other in word), []).append(word)
        totals.append(0)
        for look, alike in looks.items():
            totals[-1] += most_won_by_any_play(alike, lives - (not any(look)), guessed | {letter})
    return max(totals)


@pytest.mark.slow
def test_the_limit_for_known_words_is_that_of_exhaustive_search(real_words):
    words = ["bat", "cat", "hat", "cot", "hot", "hut", "but"]
    for lives in (1, 2, 3):
        assert most_won(words, 26, lives) == most_won_by_any_play(words, lives)
    words = [word for word in real_words if len(word) == 5]
    greedy = play(DictionaryAgent().fit(words), words, 4).won.sum()
    assert most_won(words, 1, 4) == greedy < most_won(words, 3, 4)
