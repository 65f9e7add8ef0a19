"""Which words ``play.py`` offers to guess."""

import re

import pytest

from hangman_lab.envs.words import Split, clean_words, load_word_list
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory

MANY = clean_words((f"{a}{b}{c}" for a in "abcdef" for b in "aeiou" for c in "xyz"), "a list")


@pytest.fixture
def guessed(run_command):
    """Return a function: play some lost games; return what is printed and the secrets in order."""

    def play(words, *options, games=1):
        typed = ["y"] * (games - 1) + ["n"]
        watch = ["--watch", "dictionary", "--speed", "1000"]
        _, output = run_command([*watch, *options], typed, words, columns=200)
        return output, re.findall(r"the word is (\w+)", output)

    return play


def test_every_word_of_the_test_split_comes_once_in_an_order_that_depends_on_the_seed(guessed):
    test_words = Split().divide(MANY)["test"]
    output, secrets = guessed(MANY.words, "--seed", "3", games=len(test_words) + 1)
    assert f"\n{len(test_words)} words to guess (test split of" in output
    assert sorted(secrets[:-1]) == sorted(test_words)
    assert secrets[-1] == secrets[0]
    orders = [guessed(MANY.words, "--seed", seed, games=4)[1] for seed in "345"]
    assert orders[0] == secrets[:4]
    assert orders[0] != orders[1] or orders[0] != orders[2]


def test_without_an_agent_the_whole_list_is_guessed(run_command, tmp_path):
    _, output = run_command([], [], MANY.words, columns=200)
    assert f"{len(MANY)} words to guess ({tmp_path / 'words.txt'})" in output


def test_a_short_list_is_not_split_except_for_a_run(guessed, tmp_path, run_command):
    # Both words are in the train split.
    output, _ = guessed(["tea", "ox", "té"])
    assert "(dropped: 1 with other characters)" in output.splitlines()[0]
    assert re.search(r"\n2 words to guess \(.*words.txt, too few to be split\)", output)
    assert "dictionary was fitted on 2 of these words" in output
    run = RunDirectory.create(Config(words=str(tmp_path / "words.txt")), tmp_path / "run")
    status, output = run_command(["--run", str(run.path), "--watch", "random"], [], columns=200)
    assert status == 2
    assert "no test word of 1 to 32 letters" in output


def test_by_default_words_are_those_that_people_know_and_new_to_the_agent(run_command):
    common = load_word_list("common")
    _, output = run_command([], [])
    assert output.startswith(f"{len(common):,} words to guess (common)")
    for agent in ("posterior", "dictionary", "random"):
        options = ["--watch", agent, "--speed", "1000", "--seed", "1"]
        _, output = run_command(options, ["n"])
        (secret,) = re.findall(r"the word is (\w+)", output)
        assert secret in Split().divide(common)["test"]
        assert f"{agent} was fitted on none of these words" in output
    _, output = run_command(["--words", "web2", "--watch", "random"], [])
    assert "(test split of web2)" in output
