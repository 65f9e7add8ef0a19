"""Which words ``play.py`` offers to guess."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.words import Split, clean_words, load_word_list
from hangman_lab.playing.words import DIFFICULTIES, rank_words, select_difficulty
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
    assert f"\n{len(test_words)} words to guess (test split of" in output
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
    assert re.search(r"\n2 words to guess \(.*words.txt, too few to be split\)", output)
    assert "dictionary was fitted on 2 of these words" in output
    run = RunDirectory.create(Config(words=str(tmp_path / "words.txt")), tmp_path / "run")
    status, output = run_command(["--run", str(run.path), "--watch", "random"], [], 200)
    assert status == 2
    assert "no test word of 1 to 32 letters" in output


def test_words_with_other_characters_than_letters_are_counted_before_the_game(guessed):
    output, secrets = guessed(["tea", "thé", "tea", "té"], "--watch", "random")
    assert output.startswith("1 words from ")
    assert "(dropped: 2 with other characters, 1 duplicate)" in output.splitlines()[0]
    assert secrets == ["tea"]


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


def test_words_are_narrowed_by_length_and_then_by_difficulty(guessed):
    words = ["tea", "ox", "be"]  # all in the train split
    assert guessed(words, "--length", "3")[1] == ["tea"]
    parts = [guessed(words, "--difficulty", name)[1] for name in DIFFICULTIES]
    assert sorted(secret for part in parts for secret in part) == sorted(words)
    assert (
        "--length: no word has 7 to 9 letters; there are words of 2, 3"
        in (guessed(words, "--length", "7-9")[0])
    )


def test_words_are_ranked_by_how_common_they_are_and_weigh_less_the_rarer_they_are():
    pytest.importorskip("wordfreq", reason="wordfreq is not installed")
    ranked, weights = rank_words(["outsplendor", "unicorn", "time", "banister", "water"], 20)
    assert ranked == ("time", "water", "unicorn", "banister", "outsplendor")
    assert weights[:3].tolist() == [20, 20, 20]
    assert 20 > weights[3] > weights[4] == 1


word_lists = st.lists(st.text("abcdefgxyz", min_size=1, max_size=8), min_size=3, unique=True)


def play_by_frequency(words):
    """The rule as it is told: letters in the order of how many words have them."""
    have = Counter(letter for word in words for letter in set(word))
    order = sorted(ALPHABET, key=lambda letter: (-have[letter], letter))
    return {word: max(map(order.index, word)) + 1 - len(set(word)) for word in words}


@settings(max_examples=60)
@given(word_lists)
def test_the_difficulties_are_thirds_by_the_wrong_guesses_of_who_goes_by_frequency(words):
    wrong = play_by_frequency(words)
    ranked = sorted(words, key=lambda word: (wrong[word], -len(word), word))
    parts = [select_difficulty(words, difficulty) for difficulty in DIFFICULTIES]
    for difficulty, part in zip(DIFFICULTIES, parts, strict=True):
        assert set(part) == set(select_difficulty(words[::-1], difficulty))
        assert set(part) == set(ranked[: len(part)])
        ranked = ranked[len(part) :]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
