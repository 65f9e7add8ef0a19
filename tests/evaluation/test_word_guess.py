import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.evaluation.word_guess import summarize

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


def table(words, won, guesses, lists: npt.ArrayLike = 0):
    return pd.DataFrame({"list": lists, "word": words, "won": won, "guesses": guesses})


def test_statistics_are_those_of_a_plain_count():
    words = ("bell", "bell", "cell", "dell")
    games = table(words, [True, True, True, False], [2, 14, 10, 30], [0, 0, 1, 2])
    statistics = summarize(games, 2.0)
    # Of the lists' means; no mean is below 1.
    half = np.ptp(ttest_1samp([8, 10, 30], 0).confidence_interval()) / 2
    assert statistics.pop("mean_guesses_ci95") == pytest.approx((1, 14 + half))
    interval = share_interval(np.array([1, 1, 1, 0]), np.array([0, 0, 1, 2]))[1]
    assert statistics.pop("ci95") == interval
    assert statistics == {
        "games": 4,
        "solved": 3,
        "solved_rate": 0.75,
        "mean_guesses": 14.0,
        "max_guesses": 30,
        "solved_within_10": 0.5,
        "histogram": {2: 1, 10: 1, 14: 1},
        "hardest": [
            {"word": "dell", "mean_guesses": 30.0},
            {"word": "cell", "mean_guesses": 10.0},
            {"word": "bell", "mean_guesses": 8.0},
        ],
        "games_per_second": 2.0,
    }


def test_games_of_a_single_list_are_independent():
    won = np.arange(8) < 6
    statistics = summarize(table(WORDS, won, 3), 1.0)
    assert statistics["ci95"] == share_interval(won, np.arange(8))[1]
    # A game has no interval of the mean.
    assert summarize(table(["bell"], True, 2), 1.0)["mean_guesses_ci95"] is None


def test_random_lists_are_played_word_by_word(evaluate, tmp_path):
    games = tmp_path / "games.csv"
    _, evaluation = evaluate("--env", "GuessTheWord-v0", "--lists", 3, "--csv", games)
    assert evaluation["words"] == {"source": "random letters", "count": 100, "lists": 3}
    assert list(evaluation["agents"]) == ["minimax", "entropy", "random-consistent"]
    assert evaluation["agents"]["minimax"]["max_guesses"] <= 10
    played = pd.read_csv(games).query("agent == 'minimax'")
    assert played["list"].tolist() == [number for number in range(3) for _ in range(100)]
    assert played["word"].is_unique


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ("CatsAndDogs-v0 --words words.txt", "letters"),
        ("CatsAndDogs-v0 --words words.txt --games 3", "word"),
        ("GuessTheWord-v0 --lists 1", "word"),
    ],
)
def test_the_seed_draws_guesses_samples_and_lists(evaluate, tmp_path, monkeypatch, options, drawn):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("\n".join(WORDS))
    options, played = ["--env", *options.split(), "--agents", "random-consistent"], []
    for seed in (1, 1, 2):
        evaluate(*options, "--seed", seed, "--csv", "games.csv")
        played.append(pd.read_csv("games.csv")[drawn].tolist())
    assert played[0] == played[1] != played[2]


def test_the_command_plays_chosen_secrets(evaluate, tmp_path):
    words, secrets, games = (tmp_path / name for name in ("words.txt", "secrets.txt", "games.csv"))
    words.write_text("\n".join((*WORDS, "pigeon")))
    secrets.write_text("neon\nnoon")
    done, evaluation = evaluate(
        "--env", "CatsAndDogs-v0", "--words", words, "--secrets", secrets, "--max-guesses", 3,
        "--csv", games,
    )  # fmt: skip
    assert "hardest" in done.stdout
    assert evaluation["words"] == {"source": str(secrets), "count": 2, "allowed": 8}
    assert f"9 words from {words} (dropped: none)" in done.stdout
    assert list(evaluation["agents"]) == ["filter", "minimax", "entropy", "random-consistent"]
    games = pd.read_csv(games)
    assert games["word"].tolist() == ["neon", "noon"] * 4
    guesses = games["letters"].str.split()
    assert (guesses.str.len() == games["guesses"]).all()
    assert games["guesses"].max() == 3
    assert ((guesses.str[-1] == games["word"]) == games["won"]).all()
    assert (games["wrong_guesses"] == games["guesses"] - games["won"]).all()
