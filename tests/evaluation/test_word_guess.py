import json

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from hangman_lab.evaluation.command_line import main
from hangman_lab.evaluation.word_guess import summarize
from tests.processes import assert_refused, run_main

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


def table(words, won, guesses, lists: npt.ArrayLike = 0):
    return pd.DataFrame({"list": lists, "word": words, "won": won, "guesses": guesses})


def test_statistics_are_those_of_a_plain_count():
    words = ("bell", "bell", "cell", "dell")
    games = table(words, [True, True, True, False], [2, 14, 3, 30], [0, 0, 1, 2])
    statistics = summarize(games, 2.0)
    # Of the lists' means; no mean is below 1.
    half = np.ptp(ttest_1samp([8, 3, 30], 0).confidence_interval()) / 2
    assert statistics.pop("mean_guesses_ci95") == pytest.approx((1, 12.25 + half))
    low, high = statistics.pop("ci95")
    assert 0 < low < 0.75 < high < 1
    assert statistics == {
        "games": 4,
        "solved": 3,
        "solved_rate": 0.75,
        "mean_guesses": 12.25,
        "max_guesses": 30,
        "solved_within_10": 0.5,
        "histogram": {2: 1, 3: 1, 14: 1},
        "toughest": [
            {"word": "dell", "mean_guesses": 30.0},
            {"word": "bell", "mean_guesses": 8.0},
            {"word": "cell", "mean_guesses": 3.0},
        ],
        "games_per_second": 2.0,
    }


def test_a_game_has_no_interval_of_the_mean():
    assert summarize(table(["bell"], True, 2), 1.0)["mean_guesses_ci95"] is None


def test_intervals_are_wider_for_correlated_games_of_a_list():
    def interval(lists):
        low, high = summarize(table("bell", np.arange(40) < 20, 3, lists), 1.0)["ci95"]
        return high - low

    assert interval(np.arange(40) // 10) > 2 * interval(np.arange(40))


def test_random_lists_are_played_word_by_word(tmp_path, capsys):
    out, games = tmp_path / "results.json", tmp_path / "games.csv"
    arguments = ("--env", "GuessTheWord-v0", "--lists", 3)
    assert run_main(main, capsys, *arguments, "--json", out, "--csv", games).returncode == 0
    evaluation = json.loads(out.read_text())
    assert evaluation["words"] == {"source": "random letters", "count": 100, "lists": 3}
    assert list(evaluation["agents"]) == ["minimax", "entropy", "random-consistent"]
    assert evaluation["agents"]["minimax"]["max_guesses"] <= 10
    lists = pd.read_csv(games).query("agent == 'minimax'")["list"].tolist()
    assert lists == [number for number in range(3) for _ in range(100)]


def test_the_command_plays_chosen_secrets(tmp_path, capsys):
    files = [tmp_path / name for name in ("words.txt", "secrets.txt", "out.json", "games.csv")]
    files[0].write_text("\n".join((*WORDS, "pigeon")))
    files[1].write_text("neon\nnoon")
    names = "--words", "--secrets", "--json", "--csv"
    options = [part for pair in zip(names, files, strict=True) for part in pair]
    limit = "--max-guesses", 3
    done = run_main(main, capsys, "--env", "CatsAndDogs-v0", *limit, *options)
    assert "toughest" in done.stdout
    evaluation = json.loads(files[2].read_text())
    assert evaluation["words"] == {"source": str(files[1]), "count": 2, "allowed": 8}
    assert f"9 words from {files[0]} (dropped: none)" in done.stdout
    files[1].write_text("pigeon")
    done = run_main(main, capsys, "--env", "CatsAndDogs-v0", *options)
    assert_refused(done, "evaluate.py", f"{files[1]}: word: 'pigeon' is not one of the 8 secret")
    assert list(evaluation["agents"]) == ["filter", "minimax", "entropy", "random-consistent"]
    games = pd.read_csv(files[3])
    assert games["word"].tolist() == ["neon", "noon"] * 4
    guesses = games["letters"].str.split()
    assert (guesses.str.len() == games["guesses"]).all()
    assert games["guesses"].max() == 3
    assert ((guesses.str[-1] == games["word"]) == games["won"]).all()
    assert (games["wrong_guesses"] == games["guesses"] - games["won"]).all()
