"""compare(), its tables of games and statistics, and the files of evaluate.py."""

import io
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from hangman_lab.agents import make_agent
from hangman_lab.agents.dictionary import RandomAgent
from hangman_lab.agents.posterior.posterior import LookAheadAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.words import WordList, hash_words
from hangman_lab.evaluation import compare
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.calibration import reliability
from hangman_lab.evaluation.command_line import main
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.plots import draw_plots
from hangman_lab.evaluation.preparation import EvaluationSetup
from hangman_lab.evaluation.statistics import win_rate
from hangman_lab.evaluation.tables import agents_table, make_tables, print_comparison
from tests.agents.posterior.priors import WORDS, posterior_of
from tests.processes import run_main


@pytest.fixture(scope="module")
def word_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "a$x^$.txt"  # no formula in plots
    letters = "etaoinsr"
    words = [a + b + c + d for a in letters for b in "aeio" for c in letters for d in "aest"]
    path.write_text("\n".join(words))
    return path


def test_statistics_are_those_of_the_games(real_words):
    # Three known words and 197 unseen ones.
    words = real_words[:200]
    hashes = hash_words(words)
    agents = {name: make_agent(name, 4).fit(real_words[200:]) for name in ("dictionary", "random")}
    agents["other"] = make_agent("dictionary").fit(real_words[100:])
    setup = EvaluationSetup(
        agents, words, WordList(real_words, "list.txt", {}), "valid", rules=Rules(5),
        known_words=hashes[:3], fitted_words={"dictionary": hashes[:3], "other": hashes[100:]},
    )  # fmt: skip
    comparison = Comparison(setup)
    # What it returns can be changed.
    comparison.to_dict()["agents"].clear()
    evaluation, games = comparison.to_dict(), comparison.games
    assert list(games.columns) == [
        "agent", "word", "length", "is_known", "won", "wrong_guesses", "guesses", "letters",
    ]  # fmt: skip
    assert list(evaluation["agents"]) == list(games["agent"].unique()) == list(agents)
    rows = {row[0]: row[1:] for row in agents_table(evaluation).rows}
    for name, agent in agents.items():
        again = play(agent, words, Rules(5))
        of_agent = games.loc[games["agent"] == name].reset_index(drop=True)
        assert of_agent[again.columns].equals(again)
        assert of_agent["is_known"].tolist() == [True] * 3 + [False] * 197
        statistics = evaluation["agents"][name]
        assert statistics["wins"] == again.won.sum()
        assert statistics["fitted"] == {"dictionary": 3, "random": 0, "other": 100}[name]
        for kind, won in (("known", again.won[:3]), ("unseen", again.won[3:])):
            assert statistics[f"{kind}_words"] == win_rate(won.sum(), len(won))
            shown = (str(len(won)), str(won.sum()), f"{won.mean():.1%}")
            assert rows[f"{name} ({kind})"][:3] == shown
    tables = {table.title.split(",")[0]: table.rows for table in make_tables(evaluation)}
    for length, _, *rates in tables["win rate by word length"]:
        played = games.loc[games["length"] == int(length)].groupby("agent")["won"].mean()
        assert rates == [f"{played[name]:.1%}" for name in agents]
    won = games.pivot(index="word", columns="agent", values="won")
    first, second = won["dictionary"], won["random"]
    counts = (first & second, first & ~second, second & ~first, ~first & ~second)
    assert tables["pairwise"][0][2:6] == tuple(str(each.sum()) for each in counts)
    # A note names agents that were fitted on other words than the known ones.
    note = agents_table(evaluation).note
    assert note.endswith("per game; other was fitted on the words of 100 games")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": []}, "^agents: at least one is needed"),
        ({"agents": ["random", "random"]}, "^agents: .* names an agent twice"),
        ({"agents": "random"}, "^agents: 'random' is not a list of names"),
        ({"drop_known": True, "allow_known": True}, "^allow_known: cannot be combined with drop_"),
        ({"agents": {"mine": RandomAgent}}, "^agents: 'mine': .* is not an object of a subclass"),
        ({"agents": {"a\n": make_agent("random")}}, r"^agents: 'a\\n' is not a name that can be"),
        ({"agents": {1: make_agent("random")}}, "^agents: 1 is not a name that can be printed"),
        ({"repeats": 2}, "^unknown key 'repeats'; known here are .*agents, run, words"),
        ({"max_wrong": 0}, "^max_wrong: 0 is not allowed"),
        ({"games": 9_999_999}, "^games: 9,999,999 is more than"),
        ({"secrets": pd.DataFrame({"word": ["cat"]})}, "^secrets: .* is not a sequence of words"),
    ],
)
def test_invalid_options_are_one_line(options, message, word_file):
    with pytest.raises(InputError, match=message + r".*\Z"):
        compare(**({"words": word_file, "agents": ["random"]} | options))


def test_words_may_be_a_list_or_a_file(word_file):
    words = word_file.read_text().split()
    file, listed = (compare(["dictionary"], words=given) for given in (word_file, words))
    assert listed.games.equals(file.games)
    assert listed.to_dict()["words"] == file.to_dict()["words"] | {"source": "words"}
    # Secrets need not be listed, nor be as short as the words of the list.
    exactly = compare(["dictionary"], words=word_file, secrets=["z" * 32, "toad", "Sane"])
    assert exactly.games["word"].tolist() == ["sane", "toad", "z" * 32]
    assert exactly.to_dict()["split"] == "secrets"
    assert exactly.to_dict()["words"]["count"] == 3


def test_repetitions_measure_the_worst_words_of_agents_that_draw(word_file):
    once = compare(["dictionary", "random"], words=word_file, secrets=["toad", "sane"])
    again = compare(["dictionary", "random"], words=word_file, secrets=["toad", "sane"], repeat=4)
    # A word is won in some of its games.
    worst = compare(["random"], words=word_file, secrets=["toad"], repeat=20, max_wrong=14)
    assert 0 < worst.to_dict()["agents"]["random"]["worst"]["mean"] < 1
    assert once.games.equals(again.games)
    assert "worst" not in once.to_dict()["agents"]["random"]
    worst = {name: figures["worst"] for name, figures in again.to_dict()["agents"].items()}
    assert (worst["dictionary"]["repeat"], worst["random"]["repeat"]) == (1, 4)
    assert worst["dictionary"]["worst_word"] == again.games["won"][:2].min()
    evaluation = again.to_dict()
    rates = {"repeat": 4, "mean": 0.5, "worst_tenth": 0.25, "worst_word": 0.125}
    evaluation["agents"]["random"]["worst"] = rates
    table = make_tables(evaluation)[1]
    assert table.title == "win rate of the worst words, known and unseen words"
    assert table.rows[1] == ("random", "4", "50.0%", "25.0%", "12.5%")
    assert "win rate of the worst" not in str(once)


def test_the_seed_is_that_of_the_agents_and_a_sample_has_the_order_of_the_list(word_file):
    options = {"words": word_file, "secrets": ["toad", "sane"]}
    first, other = (compare(["random"], **options, seed=seed).games for seed in (0, 1))
    assert (first["letters"] != other["letters"]).all()
    sample = compare(["dictionary"], words=word_file, games=20).games["word"]
    assert sample.is_monotonic_increasing


def test_a_plot_computes_only_what_it_needs(word_file):
    agent, played = make_agent("dictionary"), {"secrets": ["toad", "zzzz"], "max_wrong": 12}
    comparison = compare({"dictionary": agent}, words=word_file, **played)
    comparison.plot()
    figures = comparison.to_dict()["agents"]["dictionary"]
    assert "reliability" not in figures
    comparison.plot("reliability")
    figures = comparison.to_dict()["agents"]["dictionary"]
    assert figures["reliability"] == reliability(comparison.games, agent, Rules(12))
    with pytest.raises(InputError, match=r"plot: 'curves' is not one of .*'reliability'"):
        comparison.plot("curves")
    with pytest.raises(InputError, match="plot 'reliability' is not available"):
        compare(["random"], words=word_file, games=20).plot("reliability")


def test_tables_fit_in_80_columns(word_file):
    words = [first * 31 + second for first in "abcdefgh" for second in "ijklmnop"]
    agents = {f"overall-frequency-{number}": make_agent("random", number) for number in range(6)}
    compared = compare(["dictionary", "random"], words=word_file), compare(agents, words=words)
    printed = io.StringIO()
    print_comparison(Console(width=80, file=printed), compared[0].to_dict(), details=True)
    texts = [*map(str, compared), printed.getvalue()]
    assert "pairwise" in texts[0]
    assert "hardest" not in texts[0]
    assert "hardest unseen words for random" in texts[2]
    for text in texts:
        assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
        assert "…" not in text


@pytest.mark.parametrize("kind", ["known", "unseen"])
def test_every_title_names_the_kind_of_words(real_words, kind):
    words = real_words[:20]
    agents = {"ppo": make_agent("dictionary").fit(words), "random": make_agent("random")}
    known_words = hash_words(words if kind == "known" else ())
    setup = EvaluationSetup(
        agents, words, WordList(words, "list", {}), "train", known=0.125, known_words=known_words
    )
    comparison = Comparison(setup)
    comparison.calibrate()
    evaluation = comparison.to_dict()
    assert evaluation["words"][f"num_{kind}"] == 20
    assert not {"known_words", "unseen_words"} & evaluation["agents"]["ppo"].keys()
    first, *others = make_tables(evaluation)
    assert f"20 {kind} train words of list, prior of known words 0.125" in first.title
    label = " (known)" * (kind == "known")
    assert [row[0] for row in first.rows] == [f"ppo{label}", f"random{label}"]
    plots = draw_plots(evaluation).values()
    assert len(plots) == 2
    titles = [figure.axes[0].get_title(loc="left") for figure in plots]
    for title in [*(table.title for table in others), *titles]:
        assert f"{kind} words" in title
    assert all(f"20 {kind} train words" in figure.get_supxlabel() for figure in plots)


def test_an_agent_whose_fit_returns_nothing_is_played(word_file):
    class Mine(RandomAgent):
        def fit(self, words):
            self.words_ = words

    assert len(compare(MappingProxyType({"mine": Mine()}), words=word_file, games=5).games) == 5


def test_the_words_can_be_an_array(word_file):
    words = np.array(word_file.read_text().split())
    agents = compare(words=words, split="train", games=5).to_dict()["agents"]
    assert list(agents) == ["dictionary", "random"]


def test_the_words_of_a_custom_posterior_are_known(word_file):
    # Those of the train split are known, too.
    posterior, played = posterior_of(), [*WORDS[:4], "jazz", "tots"]
    for agent in (posterior, LookAheadAgent(posterior, 1)):
        compared = compare({"mine": agent}, words=word_file, secrets=played)
        assert compared.games["is_known"].tolist() == [True] * 4 + [False, True]
        assert compared.to_dict()["agents"]["mine"]["fitted"] == 4


def test_the_command_writes_games_plots_and_report(word_file, tmp_path, capsys):
    games, plots, report = tmp_path / "games.csv", tmp_path / "made/plots", tmp_path / "report.html"
    words = ("--words", word_file, "--games", 12)
    evaluate = partial(run_main, main, capsys, *words, "--agents", "dictionary", "--plots", plots)
    assert evaluate().returncode == 0
    assert {path.stem for path in plots.iterdir()} == {"win_rate_by_length"}
    # The report has plots of more games.
    done = evaluate("--csv", games, "--report", report)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(pd.read_csv(games)) == 12
    names = {"win_rate_by_length", "reliability"}
    assert {path.name for path in plots.iterdir()} == {
        f"{name}.{ending}" for name in names for ending in ("png", "svg")
    }
    assert report.read_text().count("<figure") == len(names)
