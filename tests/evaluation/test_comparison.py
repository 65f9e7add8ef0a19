import io
import json

import numpy as np
import pytest
import torch
from rich.console import Console

from agents import make_agent
from envs.words import WordList, hash_words
from evaluation.analysis import analyze
from evaluation.arena import play
from evaluation.comparison import Match, compare_agents
from evaluation.plots import caption, draw_plots
from evaluation.statistics import win_rate_interval
from evaluation.tables import agents_table, make_tables, print_comparison


@pytest.fixture(scope="module")
def comparison(real_words):
    words = real_words[:200]
    agents = {name: make_agent(name, 4).fit(real_words[200:]) for name in ("dictionary", "random")}
    match = Match(
        agents,
        words,
        WordList(real_words, "list.txt", {}),
        "valid",
        seed=4,
        max_wrong=5,
        repeats=2,
        known=0.25,
        known_words=hash_words(words[:3]),
        fitted_words={"dictionary": hash_words(sorted(words[:3]))},
    )
    return words, agents, *compare_agents(match)


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
    assert evaluation["words"] == {
        "source": "list.txt", "count": len(real_words), "known": 3, "unseen": 197,
    }  # fmt: skip
    assert evaluation["known"] == 0.25
    assert (evaluation["split"], evaluation["seed"], evaluation["max_wrong"]) == ("valid", 4, 5)
    assert evaluation["versions"]["torch"] == torch.__version__


def test_seen_words_are_counted_for_the_agents_that_saw_them(comparison):
    agents = comparison[2]["agents"]
    assert agents["dictionary"]["seen"] == 6
    assert agents["random"]["seen"] == 0


def test_where_both_kinds_of_words_are_played_each_has_its_figures(comparison):
    _, _, evaluation, played = comparison
    rows = {row[0]: row[1:] for row in agents_table(evaluation).rows}
    for name, figures in evaluation["agents"].items():
        won = played[name].won[np.isin(played[name].word_index, np.arange(3))]
        known, unseen = figures["known"], figures["unseen"]
        assert (known["games"], known["wins"]) == (6, won.sum())
        assert (unseen["games"], unseen["wins"]) == (394, figures["wins"] - won.sum())
        for kind, cells in (("known", known), ("unseen", unseen)):
            assert cells["win_rate"] == pytest.approx(cells["wins"] / cells["games"])
            assert cells["ci95"] == list(win_rate_interval(cells["wins"], cells["games"]))
            shown = (str(cells["games"]), str(cells["wins"]), f"{cells['win_rate']:.1%}")
            assert rows[f"{name} ({kind})"][:3] == shown


@pytest.mark.parametrize("kind", ["known", "unseen"])
def test_where_one_kind_of_words_is_played_every_title_names_it(real_words, kind):
    words = real_words[:20]
    agents = {"ppo": make_agent("dictionary").fit(words), "random": make_agent("random")}
    match = Match(
        agents,
        words,
        WordList(words, "list", {}),
        "train",
        known=0.125,
        known_words=hash_words(words if kind == "known" else ()),
    )
    evaluation, played = compare_agents(match)
    assert evaluation["words"][kind] == 20
    assert not {"known", "unseen"} & evaluation["agents"]["ppo"].keys()
    first, *others = make_tables(evaluation)
    assert f"20 {kind} train words of list, prior of known words 0.125" in first.title
    assert [row[0] for row in first.rows] == [
        name + " (known)" * (kind == "known") for name in agents
    ]
    analyze(match, evaluation, played)
    plots = draw_plots(evaluation).values()
    for title in [*(table.title for table in others), *map(title_of, plots)]:
        assert f"{kind} words" in title
    assert f"20 {kind} train words" in caption(evaluation)


def title_of(figure):
    return figure.get_suptitle() or figure.axes[0].get_title(loc="left")


def test_an_agent_that_was_fitted_on_other_words_than_the_known_ones_is_told(real_words):
    words = real_words[:20]
    agents = {name: make_agent(name).fit(words) for name in ("dictionary", "ngram", "random")}
    match = Match(
        agents,
        words,
        WordList(words, "list", {}),
        "train",
        known_words=hash_words(words[:5]),
        fitted_words={"dictionary": hash_words(words), "ngram": hash_words(words[:5])},
    )
    evaluation, _ = compare_agents(match)
    note = agents_table(evaluation).note
    assert "dictionary was fitted on the words of 20 games" in note
    assert "ngram" not in note
    assert "random" not in note


def test_the_tables_show_every_agent_and_length(comparison):
    _, _, evaluation, _ = comparison
    output = io.StringIO()
    print_comparison(Console(file=output, width=120), evaluation)
    text = output.getvalue()
    assert "3 known and 197 unseen valid words of list.txt, 5 wrong guesses" in text
    for name, figures in evaluation["agents"].items():
        assert name in text
        assert f"{figures['win_rate']:.1%}" in text
        for length, row in figures["by_length"].items():
            assert any(
                line.split()[:2] == [length, str(row["games"])] for line in text.splitlines()
            )
