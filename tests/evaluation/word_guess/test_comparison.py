import json

import numpy as np
import pytest
from PIL import Image

from agents.word_guess import make_word_guess_agent
from envs.word_guess.answers import AnswerRule
from envs.word_guess.variants import GUESS_THE_WORD
from envs.word_guess.words import GuessWords
from evaluation.command_line import main
from evaluation.word_guess.arena import PlayedGames, play
from evaluation.word_guess.comparison import compare_agents, random_lists, summarize

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


@pytest.fixture
def word_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join((*WORDS, "pigeon")))
    return str(path)


def test_the_figures_are_those_of_a_plain_count():
    played = PlayedGames(
        words=("bell", "bell", "cell", "dell"),
        cluster=np.array([0, 0, 1, 2]),
        num_guesses=np.array([2, 4, 3, 30]),
        solved=np.array([True, True, True, False]),
        max_guesses=30,
        seconds=2.0,
    )
    figures = summarize(played, num_toughest=2)
    assert figures["games"] == 4
    assert figures["solved"] == 3
    assert figures["mean_guesses"] == 9.75
    assert figures["max_guesses"] == 30
    assert figures["histogram"] == {"2": 1, "3": 1, "4": 1}
    assert [figures["solved_within"][str(limit)] for limit in (1, 2, 3, 4, 20)] == [
        0,
        0.25,
        0.5,
        0.75,
        0.75,
    ]
    assert [entry["word"] for entry in figures["toughest"]] == ["dell", "bell"]
    assert figures["games_per_second"] == 2.0
    low, high = figures["mean_guesses_ci95"]
    assert low < 9.75 < high
    low, high = figures["ci95"]
    assert 0 < low < 0.75 < high < 1


def test_games_of_one_list_count_as_fewer_when_they_go_alike():
    def interval(cluster):
        played = PlayedGames(
            words=("bell",) * 40,
            cluster=cluster,
            num_guesses=np.full(40, 3),
            solved=np.arange(40) < 20,
            max_guesses=3,
            seconds=1.0,
        )
        low, high = summarize(played)["ci95"]
        return high - low

    assert interval(np.arange(40) // 10) > 2 * interval(np.arange(40))


def test_batches_and_order_do_not_matter():
    rule, words = AnswerRule(4, True), GuessWords(WORDS)
    agent = make_word_guess_agent("random-consistent").fit(WORDS, rule)
    whole = play(agent, rule, words, WORDS, 20, repeats=2)
    parts = play(agent, rule, words, WORDS, 20, repeats=2, batch_size=3)
    back = play(agent, rule, words, WORDS[::-1], 20, repeats=2)
    assert whole.num_guesses.tolist() == parts.num_guesses.tolist()
    games = whole.num_guesses.reshape(-1, 2)
    assert games.tolist() == back.num_guesses.reshape(-1, 2)[::-1].tolist()
    assert whole.solved.all()


def test_random_lists_are_played_word_by_word():
    match = random_lists(GUESS_THE_WORD, num_lists=3, num_words=20, seed=1)
    evaluation = compare_agents(match, ["minimax-greedy"])
    figures = evaluation["agents"]["minimax-greedy"]
    assert evaluation["words"] == {"source": "random letters", "count": 20, "lists": 3}
    assert figures["games"] == 60
    assert figures["max_guesses"] <= 10


def test_the_command_writes_tables_figures_and_pictures(word_file, tmp_path, capsys):
    out = tmp_path / "figures.json"
    arguments = ["--env", "CatsAndDogs-v0", "--words", word_file, "--json", str(out)]
    assert main([*arguments, "--plots", str(tmp_path / "plots")]) == 0
    assert "toughest" in capsys.readouterr().out
    evaluation = json.loads(out.read_text())
    assert evaluation["env"] == "CatsAndDogs-v0"
    assert evaluation["words"]["count"] == len(WORDS)
    assert set(evaluation["agents"]) == {"filter", "minimax", "entropy", "random-consistent"}
    for figures in evaluation["agents"].values():
        assert figures["games"] == sum(figures["histogram"].values()) == len(WORDS)
        assert list(figures["solved_within"]) == [str(limit) for limit in range(1, 21)]
    pictures = sorted((tmp_path / "plots").glob("*.png"))
    assert [path.name for path in pictures] == ["word_guess_histogram.png", "word_guess_solved.png"]
    for path in pictures:
        assert np.asarray(Image.open(path)).std() > 0


def test_chosen_secrets_are_played(word_file, tmp_path):
    secrets = tmp_path / "secrets.txt"
    secrets.write_text("neon\nnoon\n")
    out = tmp_path / "figures.json"
    arguments = ["--env", "CatsAndDogs-v0", "--agents", "minimax", "--words", word_file]
    assert main([*arguments, "--secrets", str(secrets), "--json", str(out)]) == 0
    assert json.loads(out.read_text())["agents"]["minimax"]["games"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--env", "CatsAndDogs-v0", "--agents", "best"], "'best' is unknown for CatsAndDogs-v0"),
        (["--env", "CatsAndDogs-v0", "--max-wrong", "3"], "--max-wrong: is for Hangman-v0"),
        (["--env", "CatsAndDogs-v0", "--lists", "3"], "--lists: is for GuessTheWord-v0"),
        (["--env", "CatsAndDogs-v0", "--words", "{file}", "--games", "9"], "more than the 8 words"),
        (["--env", "GuessTheWord-v0", "--agents", "filter"], "plays Cats and Dogs alone"),
        (["--env", "GuessTheWord-v0", "--games", "3"], "--games: needs --words"),
        (["--lists", "3"], "--lists: is for CatsAndDogs-v0 and GuessTheWord-v0"),
    ],
)
def test_bad_options_end_with_one_line_and_status_2(arguments, message, word_file, capsys):
    assert main([argument.format(file=word_file) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
