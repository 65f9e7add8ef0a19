"""compare(), its table object, and the files of evaluate.py."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from rich.console import Console

from agents import make_agent
from envs.errors import InputError
from envs.words import Split, read_word_list
from evaluation import compare
from evaluation.command_line import main
from evaluation.tables import print_comparison

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "README.md"


@pytest.fixture(scope="module")
def word_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.txt"
    letters = "etaoinsr"
    words = [a + b + c + d for a in letters for b in "aeio" for c in letters for d in "aest"]
    path.write_text("\n".join(words))
    return path


@pytest.fixture(scope="module")
def comparison(word_file):
    return compare(["dictionary", "random"], words=word_file, repeats=2, seed=3)


def test_the_figures_are_those_of_the_command(comparison, word_file, tmp_path):
    target = tmp_path / "figures.json"
    arguments = ["--agents", "dictionary", "random", "--words", str(word_file), "--repeats", "2"]
    assert main([*arguments, "--seed", "3", "--json", str(target)]) == 0
    written, computed = json.loads(target.read_text()), comparison.to_dict()
    for evaluation in (written, computed):
        for figures in evaluation["agents"].values():
            figures.pop("games_per_second")
            for needed_by_plots in ("by_limit", "information_gain", "letters_by_turn"):
                figures.pop(needed_by_plots, None)
            figures.pop("reliability", None)
    assert written == computed


def test_the_csv_has_one_row_per_game(comparison):
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert list(rows[0]) == ["word", "agent", "won", "guesses", "known"]
    figures = comparison.to_dict()["agents"]
    for name in ("dictionary", "random"):
        games = [row for row in rows if row["agent"] == name]
        assert len(games) == figures[name]["games"]
        assert sum(row["won"] == "1" for row in games) == figures[name]["wins"]
    for row in rows:
        assert row["known"] == "0"
        guesses = row["guesses"]
        assert len(set(guesses)) == len(guesses)
        assert (set(row["word"]) <= set(guesses)) == (row["won"] == "1")
        wrong = len(set(guesses) - set(row["word"]))
        assert wrong < 6 if row["won"] == "1" else wrong == 6


def test_the_csv_tells_which_words_are_known(word_file, tmp_path):
    parts = Split(0, (0.9, 0.05, 0.05)).divide(read_word_list(word_file))
    secrets = tmp_path / "secrets.txt"
    secrets.write_text("\n".join([*parts["train"][:5], *parts["test"][:5]]))
    comparison = compare(["random"], words=word_file, secrets=secrets, repeats=2)
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert len(rows) == 20
    for row in rows:
        assert row["known"] == str(int(row["word"] in parts["train"]))


def test_what_is_returned_can_be_changed_without_harm(comparison):
    comparison.to_dict()["agents"].clear()
    assert comparison.to_dict()["agents"]


def test_custom_agents_are_fitted_and_compared(word_file):
    own = compare({"mine": make_agent("dictionary")}, words=word_file)
    named = compare(["dictionary"], words=word_file)
    mine, other = own.to_dict()["agents"]["mine"], named.to_dict()["agents"]["dictionary"]
    assert mine["wins"] == other["wins"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": ["nobody"]}, "'nobody' is unknown"),
        ({"agents": ["ppo"], "split": "train", "known": 0}, "web2 was fitted on"),
        ({"known": 1.5}, "known: 1.5 is not a probability in 0..1"),
        ({"known": float("nan")}, "known: nan is not"),
        ({"known": "half"}, "known: 'half' is not"),
        ({"split": "all"}, "not one of train, valid, test"),
        ({"games": 0}, "games: 0 is below 1"),
        ({"games": 10**6}, "is more than"),
        ({"max_wrong": 27}, "not in 1..26"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(options, message, word_file):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        compare(**({"words": word_file, "agents": ["random"]} | options))
    assert "\n" not in str(caught.value)


def test_a_plot_that_does_not_exist_is_an_error(word_file):
    comparison = compare(["random"], words=word_file, games=5)
    with pytest.raises(InputError, match="'pie' is unknown"):
        comparison.plot("pie")
    with pytest.raises(InputError, match="has nothing to show here"):
        comparison.plot("learning_curves")


def test_tables_fit_in_80_columns(comparison):
    text = str(comparison)
    assert "pairwise" in text
    assert "hardest unseen words for random" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_many_agents_with_long_words_fit_in_80_columns(tmp_path):
    words = tmp_path / "words.txt"
    long_words = [first * 31 + second for first in "abcdefgh" for second in "ijklmnop"]
    words.write_text("\n".join(long_words))
    agents = {f"overall-frequency-{number}": make_agent("random", number) for number in range(6)}
    comparison = compare(agents, words=words)
    console = Console(width=80, file=io.StringIO())
    print_comparison(console, comparison.to_dict())
    text = console.file.getvalue()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text


def test_the_command_writes_games_plots_and_report(word_file, tmp_path, capsys):
    games, plots, report = tmp_path / "games.csv", tmp_path / "plots", tmp_path / "report.html"
    arguments = ["--agents", "dictionary", "--words", str(word_file), "--games", "12"]
    files = ["--csv", str(games), "--plots", str(plots), "--report", str(report)]
    assert main([*arguments, *files]) == 0
    assert len(games.read_text().splitlines()) == 13
    names = {"win_rate_by_length", "win_rate_by_limit", "information_gain", "letters_by_turn"}
    names.add("reliability")
    assert {path.name for path in plots.iterdir()} == {
        f"{name}.{ending}" for name in names for ending in ("png", "svg")
    }
    for name in names:
        with Image.open(plots / f"{name}.png") as image:
            assert image.width == 1600
    assert report.read_text().count("<figure>") == len(names)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("option", ["--csv", "--plots", "--report"])
def test_a_file_that_cannot_be_written_is_one_line(option, word_file, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "below"
    arguments = ["--agents", "random", "--words", str(word_file), "--games", "3"]
    assert main([*arguments, option, str(target)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "file" in error


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, evaluation; print(sorted({'torch', 'matplotlib'} & set(sys.modules)))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert shown.stdout.strip() == "[]"


def test_the_example_of_the_guide_runs(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(from evaluation.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(example.splitlines()) <= 10
    monkeypatch.chdir(tmp_path)
    exec(compile(example, str(GUIDE), "exec"), {})
    assert "dictionary" in capsys.readouterr().out
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 401
    assert (tmp_path / "plots" / "win_rate_by_length.png").is_file()
