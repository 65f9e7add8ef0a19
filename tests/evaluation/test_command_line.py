"""evaluate.py, in this process."""

import json
import os
import re
import shutil
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.envs.words import Split, read_word_list
from hangman_lab.evaluation.command_line import main
from hangman_lab.run_files.config import Config, EnvConfig
from hangman_lab.run_files.directory import RunDirectory
from tests.agents.posterior.priors import posterior_of
from tests.processes import assert_refused, run_main


def parts_of(words_file):
    return Split().divide(read_word_list(words_file))


def test_it_plays_the_test_words_and_writes_the_documented_json(evaluate, tiny_files):
    _, words = tiny_files
    done, evaluation = evaluate("--words", words)
    assert (done.returncode, done.stderr) == (0, "")
    assert (evaluation["env"], evaluation["host"]) == ("Hangman-v0", "random")
    assert evaluation["versions"]["numpy"] == np.__version__
    parts = parts_of(words)
    assert list(evaluation["agents"]) == ["dictionary", "random"]
    assert evaluation["words"] == {
        "source": str(words), "count": sum(len(part) for part in parts.values()),
        "num_known": 0, "num_unseen": len(parts["test"]),
    }  # fmt: skip
    assert (evaluation["split"], evaluation["seed"], evaluation["max_wrong"]) == ("test", 0, 6)
    for name, agent in evaluation["agents"].items():
        assert agent["games"] == len(parts["test"])
        assert name in done.stdout
        assert f"{agent['win_rate']:.1%}" in done.stdout
    assert "(dropped: none)" in done.stdout


@pytest.mark.slow
def test_a_run_determines_the_list_the_split_and_the_agents(evaluate, tiny_run, tiny_files):
    run_directory, _ = tiny_run
    done, evaluation = evaluate("--run", run_directory.path)
    assert done.returncode == 0, done.stderr
    assert list(evaluation["agents"]) == ["ppo", "look-ahead", "posterior", "dictionary", "random"]
    assert evaluation["words"]["source"] == str(tiny_files[1])
    theirs = json.loads(run_directory.evaluation.read_text())
    for name, agent in evaluation["agents"].items():
        for key in ("games", "wins", "mean_guesses", "by_length", "hardest", "fitted"):
            assert agent[key] == theirs["agents"][name][key]


@pytest.mark.slow
def test_without_a_run_learned_agents_are_those_of_the_pretrained_policy(evaluate, tiny_files):
    done, evaluation = evaluate("--words", tiny_files[1], "--agents", "ppo", "dictionary")
    assert done.returncode == 0, done.stderr
    agents = evaluation["agents"]
    # The split is the same for all lists: none of these words was fitted on.
    assert agents["ppo"]["games"] == len(parts_of(tiny_files[1])["test"])
    assert agents["ppo"]["fitted"] == 0
    assert agents["ppo"]["ci95"][0] > agents["dictionary"]["ci95"][1]
    _, evaluation = evaluate("--games", 20)
    assert list(evaluation["agents"]) == ["ppo", "look-ahead", "posterior", "dictionary", "random"]
    assert evaluation["words"]["source"] == "web2"


def test_details_precede_the_pairs_and_the_win_rates(evaluate, tiny_files, monkeypatch):
    reviewer = DictionaryAgent().fit(parts_of(tiny_files[1])["train"])
    load = "hangman_lab.evaluation.preparation.load_reviewer"
    monkeypatch.setattr(load, lambda *prior: reviewer)

    def titles(*options):
        done, _ = evaluate("--words", tiny_files[1], "--games", 20, *options)
        assert options or done.stdout.count("\n") <= 30
        return re.findall("Hangman-v0|worth|pairwise|by word length|hardest", done.stdout)

    assert titles() == ["pairwise", "Hangman-v0"]
    assert titles("--details") == [
        "hardest", "hardest", "by word length", "pairwise", "worth", "Hangman-v0"
    ]  # fmt: skip


@pytest.fixture
def mixed(tmp_path, real_words):
    """Options that play seven words that a run was fitted on, and twenty that it was not.

    Three of these are in the train split, on which the dictionary agent is fitted.
    """
    words, secrets = tmp_path / "words.txt", tmp_path / "secrets.txt"
    words.write_text("\n".join(real_words[::40]))
    train_words = parts_of(words)["train"]
    known, others = train_words[::2], train_words[1:7:2]
    run = RunDirectory.create(Config(words=str(words)), tmp_path / "run")
    save_posterior(posterior_of(known), run.posterior)
    run.write_fitted_words(known)
    secrets.write_text("\n".join([*known[:7], *others, *real_words[1:680:40]]))
    return ("--run", run.path, "--secrets", secrets, "--agents", "posterior", "dictionary")


def test_the_rules_of_a_run_hold_unless_others_are_given(evaluate, tiny_files, tmp_path):
    env = EnvConfig(max_wrong=3, host="evil")
    run = RunDirectory.create(Config(words=str(tiny_files[1]), env=env), tmp_path / "run")
    options = ("--run", run.path, "--agents", "dictionary")
    rules = [evaluate(*options, *more)[1] for more in ((), ("--max-wrong", 4, "--host", "random"))]
    assert [(each["max_wrong"], each["host"]) for each in rules] == [(3, "evil"), (4, "random")]


def test_words_that_people_choose_are_known_words_with_common(evaluate, mixed):
    secrets = mixed[mixed.index("--secrets") + 1]
    secrets.write_text("banana\nonline\nzyzzogeton\n")
    for common, known in (("0", 0), ("0.5", 2)):
        done, evaluation = evaluate(*mixed, "--common", common)
        assert (evaluation["words"]["num_known"], evaluation["common"]) == (known, float(common))
        assert (f"people chose a known word {common}" in done.stdout) == bool(known)
        assert [agent["fitted"] for agent in evaluation["agents"].values()] == [known, known]
    assert_refused(evaluate(*mixed, "--common", "2")[0], "evaluate.py", "--common", "1")


def test_known_words_are_refused_dropped_or_marked_with_a_prior_of_0(evaluate, mixed):
    done, _ = evaluate(*mixed, "--known", "0")
    said = ("7 of the 27 words are known", mixed[1], "--known 0", "--drop-known", "--allow-known")
    assert_refused(done, "evaluate.py", *said)

    for prior in ("0", "1"):
        done, evaluation = evaluate(*mixed, "--drop-known", "--known", prior)
        assert "excluded: 7 known words" in done.stdout
        posterior = evaluation["agents"]["posterior"]
        assert (posterior["games"], posterior["fitted"]) == (20, 0)
        assert "known_words" not in posterior

    done, evaluation = evaluate(*mixed, "--allow-known", "--known", "0")
    assert (evaluation["words"]["num_known"], evaluation["words"]["num_unseen"]) == (7, 20)
    for name, agent in evaluation["agents"].items():
        assert agent["fitted"] == {"posterior": 7, "dictionary": 10}[name]
        assert (agent["known_words"]["games"], agent["unseen_words"]["games"]) == (7, 20)
        assert f"{name} (known)" in done.stdout
    wins = evaluation["agents"]["posterior"]["known_words"]["wins"]
    # An evil host could change one kind into the other.
    assert_refused(
        evaluate(*mixed, "--host", "evil")[0], "evaluate.py", "--host evil", "--drop-known"
    )

    _, evaluation = evaluate(*mixed, "--known", "1")
    assert evaluation["known"] == 1
    assert evaluation["agents"]["posterior"]["known_words"]["wins"] == 7 > wins


def test_the_title_names_the_host_and_without_a_run_the_words_known_to_fitted_agents(
    evaluate, tiny_files
):
    arguments = ("--words", tiny_files[1], "--agents", "dictionary", "random", "--games", 30)
    options = ("--split", "train", "--known", "0", "--host", "evil")
    done, evaluation = evaluate(*arguments, *options)
    assert done.returncode == 0, done.stderr
    assert evaluation["words"]["num_known"] == 30
    # Random has not been fitted.
    assert [agent["fitted"] for agent in evaluation["agents"].values()] == [30, 0]
    assert evaluation["host"] == "evil"
    # A deterministic agent plays one game per length.
    games = [
        {rate["games"] for rate in agent["by_length"].values()}
        for agent in evaluation["agents"].values()
    ]
    assert games[0] == {1} != games[1]
    # The title is as narrow as the table.
    title = " ".join(done.stdout.split())
    assert "30 known train words" in title
    assert "evil host (words are drawn for their lengths alone)" in title
    assert "prior" not in title


def test_games_max_wrong_seed_and_split(evaluate, tiny_files):
    _, words = tiny_files
    parts = parts_of(words)
    base = ("--words", words, "--agents", "random", "dictionary")
    _, always = evaluate(*base, "--split", "valid", "--max-wrong", 26)
    assert always["split"] == "valid"
    assert always["agents"]["random"]["wins"] == len(parts["valid"])

    samples = [evaluate(*base, "--games", 50, "--max-wrong", 12, "--seed", n)[1] for n in (5, 5, 6)]
    assert (samples[0]["max_wrong"], samples[0]["seed"]) == (12, 5)
    assert samples[0]["agents"]["random"]["mean_wrong_guesses"] > 6
    # The dictionary agent draws nothing: the seed is that of the sample, too.
    for name in ("random", "dictionary"):
        first, second, third = (sample["agents"][name] for sample in samples)
        assert first["games"] == 50
        assert first["hardest_games"] == second["hardest_games"] != third["hardest_games"]


CATS, GUESS = "--env CatsAndDogs-v0", "--env GuessTheWord-v0"
NO_FOLDER = "is not a folder that can be written to"
IS_USED = "is a file of the run, or of another option"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--agents clever", "--agents: 'clever' is unknown; known are ppo"),
        ("--max-wrong 27", "--max-wrong: '27' is not allowed"),
        ("--known 2", "--known: '2' is not allowed (input should be less than or equal to 1)"),
        ("--split all", "--split: 'all' is not allowed (input should be 'train', 'valid' or"),
        ("--secrets words.txt --split valid", "--split: cannot be combined with --secrets"),
        ("--words words.txt --split train --drop-known", "--drop-known: all words are known"),
        ("--agents random --json words.txt/below", f"--json: ... words.txt {NO_FOLDER}"),
        ("--agents random --plots words.txt/below", f"--plots: ... words.txt {NO_FOLDER}"),
        ("--agents random --json /dev/stdout", "--json: '/dev/stdout' is"),
        ("--agents random --words words.txt --csv words.txt", f"--csv: ... {IS_USED}"),
        ("--agents random --secrets other --json other", f"--json: ... {IS_USED}"),
        ("--agents random --json other --report other", f"--report: ... {IS_USED}"),
        ("--agents random --run . --csv config.yaml", f"--csv: ... {IS_USED}"),
        ("--agents random --json " + 201 * "a", "--json: aaa ... is longer than 200 bytes"),
        ("--agents random --plots . --csv a.png", "--plots: ... has an image that another option"),
        ("--agents random --plots . --json a.svg", "--plots: ... has an image that another option"),
        ("--agents random --words=", "argument words: it is empty"),
        (f"{CATS} --words common --secrets words.txt", "words.txt: word: ... is not one of the"),
        (f"{CATS} --max-wrong 3", "--max-wrong: is for Hangman-v0"),
        (f"{CATS} --lists 3", "--lists: is for GuessTheWord-v0"),
        (f"{GUESS} --agents minimax filter", "plays Cats and Dogs alone"),
        (f"{GUESS} --games 3", "--games: needs --words"),
        (f"{GUESS} --lists 10001", "--lists: '10001' is not a whole number in 1..10000"),
        ("--server http://127.0.0.1:1", "--token, HANGMAN_TOKEN"),
        ("--server 127.0.0.1:8000 --token t", "is not a URL"),
        # Nothing listens: no retries.
        ("--server http://127.0.0.1:1 --token hm_a --agents random", "does not answer"),
        ("--server http://x --token t --split test", "--split: cannot be combined"),
        (f"--server http://x --token t {GUESS}", "--env"),
        ("--recorded", "--recorded: needs --server"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    options, message, tiny_files, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(tiny_files[1], "words.txt")
    done = run_main(main, capsys, *options.split())
    assert_refused(done, "evaluate.py", *message.split(" ... "))
    assert "hm_a" not in done.stderr
    # Nothing is played before.
    assert not done.stdout or "--words" in options
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("option", ["--report", "--plots"])
def test_what_draws_is_an_extra_that_is_named_if_it_is_missing(capsys, monkeypatch, option):
    monkeypatch.setattr("hangman_lab.terminal.arguments.find_spec", lambda name: None)
    done = run_main(main, capsys, "--agents", "random", option, "drawn")
    assert_refused(done, "evaluate.py", f"{option} needs matplotlib", "pip install '.[report]'")


def test_a_file_is_written_where_its_link_points_and_replaces_nothing_special(
    tiny_files, tmp_path, capsys, monkeypatch
):
    target, link, pipe, protected = (tmp_path / name for name in ("target", "link", "pipe", "kept"))
    target.touch()
    link.symlink_to(target)
    os.mkfifo(pipe)
    protected.write_text("kept")
    # Its mode does not stop the superuser.
    monkeypatch.setattr("os.access", lambda given, mode: str(given) != str(protected))
    write = partial(run_main, main, capsys, "--words", tiny_files[1], "--agents", "random", "--csv")
    for path in (pipe, protected):
        message = f"--csv: '{path}' is not a regular file that can be written to"
        assert_refused(write(path), "evaluate.py", message)
    assert protected.read_text() == "kept"
    assert write(link).returncode == 0
    assert link.is_symlink()
    assert target.read_text().startswith("agent,word,")


def test_too_little_memory_is_one_line(capsys, monkeypatch):
    full = Mock(side_effect=MemoryError("Unable to allocate 3.6 GiB"))
    monkeypatch.setattr("hangman_lab.evaluation.command_line.prepare", full)
    done = run_main(main, capsys, "--agents", "random")
    assert_refused(done, "evaluate.py", "not enough memory (Unable to allocate 3.6 GiB)")
