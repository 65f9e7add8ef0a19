import json

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from hangman_lab.evaluation.command_line import main
from hangman_lab.evaluation.word_guess import summarize
from tests.processes import run_main

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


@pytest.fixture
def word_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join((*WORDS, "pigeon")))
    return str(path)


def table(words, won, guesses, lists: npt.ArrayLike = 0):
    return pd.DataFrame({"list": lists, "word": words, "won": won, "guesses": guesses})


def test_statistics_are_those_of_a_plain_count():
    words = ("bell", "bell", "cell", "dell")
    games = table(words, [True, True, True, False], [2, 4, 3, 30], [0, 0, 1, 2])
    statistics = summarize(games, 2.0)
    low, high = statistics.pop("mean_guesses_ci95")
    assert low < 9.75 < high
    low, high = statistics.pop("ci95")
    assert 0 < low < 0.75 < high < 1
    assert statistics == {
        "games": 4,
        "solved": 3,
        "solved_rate": 0.75,
        "mean_guesses": 9.75,
        "max_guesses": 30,
        "solved_within": {str(n): min(max(n - 1, 0), 3) / 4 for n in range(1, 21)},
        "histogram": {"2": 1, "3": 1, "4": 1},
        "toughest": [
            {"word": "dell", "mean_guesses": 30.0},
            {"word": "bell", "mean_guesses": 3.0},
            {"word": "cell", "mean_guesses": 3.0},
        ],
        "games_per_second": 2.0,
    }


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


def test_the_command_writes_a_table_and_results(word_file, tmp_path, capsys):
    secrets = ("neon", "noon")
    chosen, out = tmp_path / "secrets.txt", tmp_path / "results.json"
    chosen.write_text("\n".join(secrets))
    arguments = ["--env", "CatsAndDogs-v0", "--words", word_file, "--secrets", str(chosen)]
    assert main([*arguments, "--json", str(out), "--csv", str(tmp_path / "games.csv")]) == 0
    assert "toughest" in capsys.readouterr().out
    evaluation = json.loads(out.read_text())
    agents = evaluation["agents"]
    assert evaluation["env"] == "CatsAndDogs-v0"
    assert evaluation["words"]["count"] == len(WORDS)
    assert set(agents) == {"filter", "minimax", "entropy", "random-consistent"}
    for statistics in agents.values():
        assert statistics["games"] == sum(statistics["histogram"].values()) == len(secrets)
        assert list(statistics["solved_within"]) == [str(limit) for limit in range(1, 21)]
    games = pd.read_csv(tmp_path / "games.csv")
    assert set(games["agent"]) == set(agents)
    assert all(set(played) == set(secrets) for _, played in games.groupby("agent")["word"])
