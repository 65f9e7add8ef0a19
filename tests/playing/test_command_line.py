import io
import itertools
import re
from unittest.mock import Mock

import pytest
from rich.console import Console

from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.words import Split, clean_words
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from tests.agents.posterior.priors import posterior_of

WORDS = sorted("".join(parts) for parts in itertools.product("bcdfg", "aeiou", "lmn", "st", "xyz"))
PARTS = Split().divide(clean_words(WORDS, ""))
TEST_WORDS = PARTS["test"]
SECRET = re.compile(r"the word is (\w+)")


def test_a_terminal_shows_what_is_loaded_before_the_first_board(run_command, monkeypatch):
    console = Console(force_terminal=True, file=io.StringIO(), width=80)
    monkeypatch.setattr("hangman_lab.playing.command_line.Console", lambda **options: console)
    run_command(["--versus", "dictionary"], [], WORDS)
    output = console.file.getvalue()
    steps = ("the first start compiles", "loading words", "loading dictionary", "compiling")
    found = [output.index(text) for text in (*steps, "words to guess", "lives")]
    assert found == sorted(found)


def test_a_person_wins_and_is_offered_another_word(run_command):
    _, lost = run_command(["--seed", "5"], "jkqvwp", WORDS)
    assert "you lost" in lost
    assert "games: 1; you won 0" in lost
    (secret,) = SECRET.findall(lost)
    typed = [*secret, "maybe", "", *"jkqvwp", "n"]
    status, won = run_command(["--seed", "5"], typed, WORDS)
    assert status == 0
    assert f"you won; the word is {secret}" in won
    assert "games: 1; you won 1" in won
    assert "Please enter Y or N" in won
    assert "games: 2; you won 1" in won
    assert len(set(SECRET.findall(won))) == 2
    assert won.splitlines()[-1] == "Goodbye."


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "expected one letter a to z, not nothing"),
        ("ab", "expected one letter a to z, not 'ab'"),
        ("[b]", "expected one letter a to z, not '[b]'"),
        ("J", "'j' was already guessed"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "is not a letter a to z"),
        ("\N{KELVIN SIGN}", "is not a letter a to z"),
        ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "is not a letter a to z"),
    ],
)
def test_invalid_letters_are_explained_and_cost_nothing(run_command, typed, problem):
    _, output = run_command([], ["j", typed], WORDS)
    lines = output.splitlines()
    (number,) = (number for number, line in enumerate(lines) if line.endswith(problem))
    assert lines[number + 1].startswith("letter:")
    assert "lives  4 of 6" not in output


def test_hints_are_five_letters_with_bars(run_command):
    _, output = run_command(["--hint", "--seed", "1"], [], WORDS)
    bars = re.findall(r"^[> ] [a-z]  [ \d]{3}%  █*$", output, re.MULTILINE)
    assert len(bars) == 5
    assert sum(bar.startswith(">") for bar in bars) == 1
    assert re.search(r"^\d+ words to guess \(test split of", output, re.MULTILINE)


@pytest.mark.parametrize("more", [[], ["--host", "evil"]])
def test_a_review_says_what_the_guesses_were_worth(run_command, more):
    status, output = run_command(["--review", "--seed", "5", *more], [*"aejkqvwp", "n"], WORDS)
    assert status == 0
    # All words are played, and no letter is shown before the end.
    assert f"\n{len(WORDS)} words to guess" in output
    assert "most likely" not in output
    (secret,) = re.findall(r"^ +review of (\w+) *$", output, re.MULTILINE)
    game = Game(secret, Rules(), "aejkqvwp")
    agent = DictionaryAgent().fit(WORDS)
    for number, letter in enumerate(game.guesses):
        before = Game(game.secret, Rules(), game.guesses[:number])
        chances = agent.letter_probabilities(before.observations)[0]
        chance = chances[ALPHABET.index(letter)]
        guess = f"{letter} {chance:4.0%}" if chance else rf"\* {letter}   0%"
        best = f"{ALPHABET[chances.argmax()]} {chances.max():4.0%}"
        assert re.search(rf"^ {before.word} +{guess} +{best} +{best} $", output, re.MULTILINE)
    told = "mean probability that a guess hits: .* for yours, .* for dictionary's"
    assert re.search(told, " ".join(output.split()))
    assert "--review" not in output


def test_a_game_with_an_agent_that_has_letter_probabilities_ends_with_their_means(run_command):
    for options in (["--hint"], ["--versus", "dictionary"], ["--versus", "random"], []):
        _, output = run_command([*options, "--seed", "1"], [*"jkqvwp", "n"], WORDS)
        told = re.findall("that a guess hits: +0% for yours, .* for dictionary's", output)
        assert bool(told) == ("--hint" in options or "dictionary" in options)
        assert ("--review shows each guess" in " ".join(output.split())) == bool(told)


@pytest.mark.parametrize("agent", ["dictionary", "random"])
def test_an_agent_is_watched_to_the_end(run_command, agent):
    options = ["--watch", agent, "--seed", "1", "--speed", "1000"]
    _, output = run_command(options, ["n"], WORDS)
    assert re.search(rf"^{agent} (won|lost); the word is \w{{5}}$", output, re.MULTILINE)
    assert SECRET.findall(output)[0] in TEST_WORDS
    guesses = re.findall(rf"^{agent} guesses (\w): ", output, re.MULTILINE)
    assert len(guesses) == len(set(guesses)) >= 5
    if agent == "dictionary":
        told = re.findall(r"its guess: (\w)$", output, re.MULTILINE)
        assert told == guesses
    assert run_command(options, ["n"], WORDS)[1] == output


def test_the_letters_of_the_opponent_are_hidden_until_the_game_is_over(run_command):
    # A list that is too short to be split: the opponent knows the word.
    words, options = ["bead", "coal"], ["--versus", "dictionary", "--seed", "2"]
    _, output = run_command(options, [*"jkqvwp", "n"], words)
    before, after = output.split("dictionary guessed ")
    (secret,) = SECRET.findall(after)
    boards = before.split("letter: p")[0]
    assert "dictionary: 0 of 4 letters, lives 6 of 6\nletter: j" in boards
    assert "of 4 letters" not in before.split("letter: p")[1]
    assert set(secret) <= set(after.splitlines()[0].split())
    assert f"dictionary wins; the word is {secret}" in after
    assert "games: 1; you won 0, dictionary won 1" in after
    _, output = run_command(options, [*secret, "n"], words)
    assert f"a draw; the word is {secret}" in output
    _, output = run_command(options, [*"densz", "n"], WORDS)
    assert "you win; the word is densz" in output


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("mode", [["--hint"], ["--versus", "random"]])
def test_no_line_is_longer_than_the_terminal_is_wide(run_command, mode, columns):
    options, typed = ["--max-wrong", "26", *mode], [*"qzkabcde", "x\x1b" * 50]
    status, output = run_command(options, typed, [ALPHABET + ALPHABET[:6]], columns)
    assert status == 0
    # The error is wrapped, too; a long path is broken.
    assert max(map(len, output.splitlines())) <= columns
    assert "\x1b" not in output
    # Piped letters are echoed.
    assert "letter: a\na is in the word, 2 times\n" in output


@pytest.fixture
def watch_a_run(tmp_path):
    """Options that watch the posterior of a run."""
    (tmp_path / "words.txt").write_text("\n".join(WORDS))
    run = RunDirectory.create(Config(words=str(tmp_path / "words.txt")), tmp_path / "run")
    run.write_fitted_words(PARTS["train"])
    save_posterior(posterior_of(sorted(PARTS["train"], key=len)), run.posterior)
    return ["--run", str(run.path), "--watch", "posterior", "--speed", "999", "--seed", "1"]


def test_a_run_determines_words_split_and_agents(run_command, watch_a_run):
    status, output = run_command(watch_a_run, ["y", "n"])
    assert status == 0
    assert output.startswith(f"{len(TEST_WORDS)} words to guess (test split of")
    assert "posterior was fitted on none of these words" in output
    assert set(SECRET.findall(output)) <= set(TEST_WORDS)
    assert "posterior: most likely letters" in output
    with_prior = {
        prior: run_command([*watch_a_run, "--known", prior], ["y", "n"])[1] for prior in "01"
    }
    assert output not in with_prior.values()
    assert with_prior["0"] != with_prior["1"]


def test_hints_are_for_words_as_people_choose_them_unless_told_otherwise(run_command, watch_a_run):
    by_common = {
        common: " ".join(run_command([*watch_a_run, *common.split()], ["n"])[1].split())
        for common in ("", "--common 0.5", "--common 0")
    }
    assert by_common[""] == by_common["--common 0.5"] != by_common["--common 0"]
    assert "lists the words that people choose" in by_common[""]
    assert "people" not in by_common["--common 0"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--common", "0.5"], "--common: requires --hint, --watch, --versus, --assist or"),
        (["--watch", "nobody"], "--watch: 'nobody' is unknown; known are ppo, look-ahead"),
        (["--hint", "--agent", "random"], "--agent: random has no letter probabilities"),
        (["--review", "--agent", "random"], "--agent: random has no letter probabilities"),
        (["--review", "--versus", "random"], "--versus: random has no letter probabilities"),
        (
            ["--watch", "dictionary", "--known", "0.5"],
            "--known: is for ppo, look-ahead, posterior",
        ),
        (["--watch", "random", "--common", "0"], "--common: is for ppo, look-ahead, posterior and"),
        (["--review", "--watch", "random"], "--review: cannot be combined with --watch"),
        (["--review", "--assist"], "--review: cannot be combined with --watch or --assist"),
        (["--agent", "random"], "--agent: requires --hint, --assist or --review"),
        (["--known", "0.5"], "--known: requires --hint, --watch, --versus, --assist or --review"),
        (["--speed", "2"], "--speed: requires --watch"),
        (["--host", "evil", "--versus", "random"], "--versus: cannot be combined with --host evil"),
    ],
)
def test_invalid_options_are_one_line_and_status_2(run_command, options, problem):
    status, output = run_command(options, [])
    assert status == 2
    (line,) = output.splitlines()
    assert line.startswith("play.py: error: ")
    assert problem in line


def test_an_evil_host_reveals_a_matching_word_and_how_many_were_left(run_command):
    status, output = run_command(["--host", "evil"], [*"aeioucd", "n"], WORDS)
    assert status == 0
    # Without a, e, i and o, all words have u. The host then keeps words without c, and without d.
    left = [word for word in WORDS if word[1] == "u" and word[0] != "c"]
    told = f"you lost; bulsx fitted all along; words left before the last guess: {len(left)}"
    assert told in output.splitlines()
    assert "games: 1; you won 0" in output
    options = ["--host", "evil", "--watch", "dictionary", "--speed", "1000"]
    _, output = run_command(options, ["n"], WORDS)
    assert re.search(r"^dictionary (won|lost); \w{5} fitted all along; words", output, re.MULTILINE)


def test_no_pause_is_too_long_to_wait_for(run_command, monkeypatch):
    monkeypatch.setattr("time.sleep", pauses := Mock())
    status, _ = run_command(["--watch", "random", "--speed", "1e-320"], ["n"], WORDS)
    assert status == 0
    assert pauses.call_args.args == (1e6,)
