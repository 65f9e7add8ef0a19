import io
import json

import pytest
import torch
from rich.console import Console

from agents import make_agent
from envs.words import hash_words
from evaluation.arena import play
from evaluation.comparison import compare_agents, print_comparison


@pytest.fixture(scope="module")
def comparison(real_words):
    words = real_words[:200]
    agents = {name: make_agent(name, 4).fit(real_words[200:]) for name in ("dictionary", "random")}
    evaluation, played = compare_agents(
        agents,
        words,
        source="list.txt",
        num_listed=len(real_words),
        split="valid",
        seed=4,
        max_wrong=5,
        repeats=2,
        fitted_words={"dictionary": hash_words(sorted(words[:3]))},
    )
    return words, agents, evaluation, played


def test_the_figures_are_those_of_the_games(comparison):
    words, agents, evaluation, played = comparison
    assert list(evaluation["agents"]) == list(agents)
    for name, agent in agents.items():
        games = play(agent, words, max_wrong=5, repeats=2)
        figures = evaluation["agents"][name]
        assert (figures["games"], figures["wins"]) == (400, int(games.won.sum()))
        assert figures["mean_guesses"] == pytest.approx(games.num_guesses.mean())
        assert (played[name].letters == games.letters).all()


def test_the_json_has_the_documented_keys(comparison, real_words):
    _, _, evaluation, _ = comparison
    again = json.loads(json.dumps(evaluation))
    assert again == evaluation
    assert set(evaluation) >= {
        "env", "words", "split", "seed", "max_wrong", "versions", "agents",
    }  # fmt: skip
    assert evaluation["env"] == "Hangman-v0"
    assert evaluation["words"] == {"source": "list.txt", "count": len(real_words)}
    assert (evaluation["split"], evaluation["seed"], evaluation["max_wrong"]) == ("valid", 4, 5)
    assert evaluation["versions"]["torch"] == torch.__version__


def test_seen_words_are_counted_for_the_agents_that_saw_them(comparison):
    agents = comparison[2]["agents"]
    assert agents["dictionary"]["seen"] == 6
    assert agents["random"]["seen"] == 0


def test_the_tables_show_every_agent_and_length(comparison):
    _, _, evaluation, _ = comparison
    output = io.StringIO()
    print_comparison(Console(file=output, width=120), evaluation)
    text = output.getvalue()
    assert "dictionary (seen)" in text
    for name, figures in evaluation["agents"].items():
        assert name in text
        assert f"{figures['win_rate']:.1%}" in text
        for length, row in figures["by_length"].items():
            assert any(
                line.split()[:2] == [length, str(row["games"])] for line in text.splitlines()
            )
