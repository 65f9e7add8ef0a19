"""Which words ``play.py`` offers to guess."""

import re

import pytest

from hangman_lab.envs.words import DIFFICULTIES, Split, clean_words
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory

MANY = clean_words((f"{a}{b}{c}" for a in "abcdef" for b in "aeiou" for c in "xyz"), "a list")


@pytest.fixture
def guessed(run_command, tmp_path):
    """Return a function: play some lost games; return what is printed and the secrets in order."""

    def play(words, *options, games=1):
        path = tmp_path / "words.txt"
        path.write_text("\n".join(words))
        typed = ["y"] * (games - 1) + ["n"]
        watch = ["--watch", "dictionary", "--speed", "1000"]
        _, output = run_command(["--words", str(path), *watch, *options], typed, columns=200)
        return output, re.findall(r"the word is (\w+)", output)

    return play


def test_every_word_of_the_test_split_comes_once_in_an_order_that_depends_on_the_seed(guessed):
    test_words = Split().divide(MANY)["test"]
    output, secrets = guessed(MANY.words, "--seed", "3", games=len(test_words) + 1)
    assert output.startswith(f"{len(test_words)} words to guess (test split of")
    assert sorted(secrets[:-1]) == sorted(test_words)
    assert secrets[-1] == secrets[0]
    orders = [guessed(MANY.words, "--seed", seed, games=4)[1] for seed in "345"]
    assert orders[0] == secrets[:4]
    assert orders[0] != orders[1] or orders[0] != orders[2]


def test_without_an_agent_the_whole_list_is_guessed(run_command, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(MANY.words))
    assert f"{len(MANY)} words to guess ({path})" in run_command(["--words", str(path)], [], 200)[1]


def test_a_short_list_is_not_split_except_for_a_run(guessed, tmp_path, run_command):
    # Both words are in the train split.
    output, _ = guessed(["tea", "ox"])
    assert re.match(r"2 words to guess \(.*words.txt, too few to be split\)", output)
    run = RunDirectory.create(Config(words=str(tmp_path / "words.txt")), tmp_path / "run")
    status, output = run_command(["--run", str(run.path), "--watch", "random"], [], 200)
    assert status == 2
    assert "no test word of 1 to 32 letters" in output


def test_words_are_narrowed_by_length_and_then_by_difficulty(guessed):
    words = ["tea", "ox", "be"]  # all in the train split
    assert guessed(words, "--length", "3")[1] == ["tea"]
    parts = [guessed(words, "--difficulty", name)[1] for name in DIFFICULTIES]
    assert sorted(secret for part in parts for secret in part) == sorted(words)
    assert (
        "--length: no word has 7 to 9 letters; there are words of 2, 3"
        in (guessed(words, "--length", "7-9")[0])
    )
