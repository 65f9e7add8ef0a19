"""Reviews of games, compared with a game worked out by hand."""

import numpy as np
import pandas as pd
import pytest

import hangman_lab
from hangman_lab.agents.dictionary import DictionaryAgent, RandomAgent
from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.word_sets import index_words
from hangman_lab.envs.words import WordList
from hangman_lab.evaluation import review
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.command_line import main
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.preparation import EvaluationSetup
from hangman_lab.evaluation.reviews import review_agents, review_games, summarize_review
from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.evaluation.tables import make_tables
from hangman_lab.terminal.console import make_progress
from tests.agents.posterior.priors import posterior_of
from tests.processes import assert_refused, run_main

WORDS = ("bad", "bag", "bat", "bed", "bet", "cat", "cot", "dog", "hat", "mug")
AGENT = DictionaryAgent().fit(WORDS)
COLUMNS = ["shown", "letter", "probability", "best_letter", "best_probability", "dominated"]


def test_a_game_worked_out_by_hand():
    # 5 of 10 words have a, b or t; a is the first in the alphabet. Of bad, bag, bat, cat and hat,
    # none has e, 3 have b and t; of bad, bag and bat, a has been shown.
    table = review("bat", "aebagt", AGENT, WORDS)
    expected = [
        ("___", "a", 0.5, "a", 0.5, False),
        ("_a_", "e", 0.0, "b", 0.6, True),
        ("_a_", "b", 0.6, "b", 0.6, False),
        ("ba_", "a", 0.0, "d", 1 / 3, True),
        ("ba_", "g", 1 / 3, "d", 1 / 3, False),
        ("ba_", "t", 0.5, "d", 0.5, False),
    ]
    pd.testing.assert_frame_equal(table[COLUMNS], pd.DataFrame(expected, columns=COLUMNS))
    assert list(table["turn"]) == [1, 2, 3, 4, 5, 6]
    assert "".join(table["agent_letter"]) == "abbddd"
    summary = summarize_review(table)
    assert summary["mean_probability"] == pytest.approx((0.5 + 0.6 + 1 / 3 + 0.5) / 6)
    assert summary["mean_agent_probability"] == pytest.approx((1.7 + 2 / 3 + 0.5) / 6)
    assert summary["given_up"] == pytest.approx((0.6 + 1 / 3) / 6)
    assert (summary["games"], summary["guesses"], summary["dominated"]) == (1, 6, 2 / 6)


def test_the_best_letter_is_the_posterior_s_also_in_a_running_game_and_many_games(real_words):
    posterior = posterior_of(sorted(real_words[::9], key=len))
    running = review("_a_", "ea", posterior, WORDS)
    finished = review("bat", "ea", posterior, index_words(WORDS))
    pd.testing.assert_frame_equal(running, finished)
    played = play(AGENT, real_words[:40])
    words, letters, rules = list(played["word"]), list(played["letters"]), Rules()
    table = review_games(posterior, WORDS, words, letters, rules)
    for row in table.itertuples():
        before = Game(words[row.game], rules, letters[row.game][: row.turn - 1])
        chances = posterior.letter_probabilities(before.observations)[0]
        assert (row.shown, row.letter) == (before.word, letters[row.game][row.turn - 1])
        assert row.best_letter == row.agent_letter == ALPHABET[chances.argmax()]
        assert row.probability == pytest.approx(chances[letter_index(row.letter)])
        assert row.best_probability == pytest.approx(chances.max())
    assert len(table) == played["guesses"].sum()
    # No word of these lengths is listed: none fits, and no guess is dominated.
    long = played["length"] > 3
    assert not table.loc[table["game"].isin(np.flatnonzero(long)), "dominated"].any()


def test_an_interval_of_numbers_is_as_wide_as_student_s():
    numbers = np.random.default_rng(0).beta(5, 5, 400)
    mean, (low, high) = share_interval(numbers, np.arange(400))
    half = 1.966 * numbers.std(ddof=1) / 20
    assert (mean - low, high - mean) == pytest.approx((half, half), rel=0.02)


@pytest.mark.parametrize(
    ("word", "letters", "message"),
    [
        ("Bat", "a", "word: 'Bat' is not 1 to 32 lower-case letters a to z, or _ if hidden"),
        ("", "a", "word: ''"),
        ("b?t", "a", "word: 'b?t'"),
        (None, "a", "word: None"),
        ("bat", "", "letters: '' is not one or more lower-case letters a to z"),
        ("bat", "a b", "letters: 'a b'"),
        ("bat", ["a"], "letters: "),
        ("_at", "a", "word: '_at' shows 't', which is not in letters"),
        ("bat", "batx", "letters: 'batx' goes on where 3 guesses end the game"),
        ("bat", "defghijk", "letters: 'defghijk' goes on where 6 guesses end the game"),
        ("___", "eeeeeef", "letters: 'eeeeeef' goes on where 6 guesses end the game"),
    ],
)
def test_bad_games_are_one_line(word, letters, message):
    with pytest.raises(InputError, match="^" + message.replace("?", r"\?")):
        review(word, letters, AGENT, WORDS)


def test_rules_and_agents_are_checked():
    assert len(review("___", "eeeeeef", AGENT, WORDS, repeated_guess="free")) == 7
    assert len(review("bat", "defghijk", AGENT, WORDS, max_wrong=8)) == 8
    with pytest.raises(InputError, match="max_wrong: 0"):
        review("bat", "a", AGENT, WORDS, max_wrong=0)
    with pytest.raises(InputError, match=r"agent: .* is not a PosteriorAgent"):
        review("bat", "a", RandomAgent(), WORDS)
    with pytest.raises(InputError, match="known, common: "):
        review("bat", "a", AGENT, WORDS, known=0.3)
    assert hangman_lab.evaluation.review is review


def test_a_comparison_reviews_each_agent_on_at_most_2000_games_that_differ(real_words):
    words = real_words[:2_100]
    agents = {"random": RandomAgent(), "dictionary": DictionaryAgent().fit(real_words[::2])}
    setup = EvaluationSetup(
        agents, words, WordList(words, "list", {}), "test", load_reviewer=lambda: (AGENT, WORDS)
    )
    comparison = Comparison(setup)
    assert "review" not in comparison.to_dict()["agents"]["random"]
    table = comparison.review()
    for name, summary in comparison.to_dict()["agents"].items():
        guesses = table[table["agent"] == name]
        assert summary["review"]["games"] == guesses["word"].nunique() == 2_000
        assert summary["review"]["guesses"] == len(guesses)
        given_up = guesses["best_probability"] - guesses["probability"]
        assert summary["review"]["given_up"] == pytest.approx(given_up.mean())
        # The secrets are listed, too: a letter that hits is not dominated.
        hits = [letter in word for letter, word in zip(guesses.letter, guesses.word, strict=True)]
        assert 0 < summary["review"]["dominated"] == guesses["dominated"].mean()
        assert not guesses.loc[hits, "dominated"].any()
    (reviews,) = (each for each in make_tables(comparison.to_dict()) if "worth" in each.title)
    assert [row[1] for row in reviews.rows] == ["2,000 of 2,100"] * 2


GAMES = """agent,word,letters,note
nan,BAT,a e b t,won
nan,_a_,ea,running
me,dog,aeibfh,"lost, and the word was told"
"""


@pytest.fixture
def known_policy(monkeypatch):
    """The policy that reviews is the dictionary agent of ten words."""
    for module in ("preparation", "games_file"):
        monkeypatch.setattr(f"hangman_lab.evaluation.{module}.load_reviewer", lambda *prior: AGENT)


def test_a_file_of_games_is_reviewed(evaluate, known_policy, tmp_path):
    path, words, out = (tmp_path / name for name in ("games.csv", "words.txt", "guesses.csv"))
    path.write_text(GAMES, encoding="utf-8-sig")
    words.write_text("\n".join(WORDS))
    done, evaluation = evaluate("--games-file", path, "--words", words, "--csv", out, "--details")
    assert (done.returncode, done.stderr) == (0, "")
    agents = evaluation["agents"]
    assert {name: (each["games"], each["wins"]) for name, each in agents.items()} == {
        "nan": (2, 1),
        "me": (1, 0),
    }
    guesses = pd.read_csv(out, keep_default_na=False)
    expected = review("bat", "aebt", AGENT, WORDS)
    pd.testing.assert_frame_equal(guesses[:4][expected.columns], expected, check_dtype=False)
    assert "".join(guesses["letter"]) == "aebteaaeibfh"
    assert list(guesses["word"].unique()) == ["bat", "_a_", "dog"]
    mean = agents["me"]["review"]["given_up"]
    for text in (f"{mean:.1%}", "what guesses were worth", "me: dog", "nan: _a_", "* h   0%"):
        assert text in done.stdout
    # Its --csv is such a file.
    path.unlink()
    options = ("--words", words, "--agents", "dictionary", "--secrets", words)
    _, played = evaluate(*options, "--csv", path, "--details")
    _, again = evaluate("--games-file", path, "--words", words)
    assert played["agents"]["dictionary"]["review"] == again["agents"]["dictionary"]["review"]


def test_of_many_games_of_a_word_a_sample_is_reviewed():
    games = pd.DataFrame({"word": ["bat", "cat"], "letters": ["bat", "xcat"], "agent": "me"})
    games = games.loc[games.index.repeat(3_000)]
    table, summaries = review_agents(AGENT, WORDS, games, Rules(), make_progress())
    assert summaries["me"]["games"] == 2_000
    assert 900 < table.groupby("word")["game"].nunique()["cat"] < 1_100


@pytest.mark.parametrize(
    ("games", "options", "message"),
    [
        (None, "", "games.csv: cannot read the games (No such"),
        ("", "", "games.csv: the columns are [], not word, letters and"),
        ("word,guesses\n", "", "games.csv: the columns are ['word', 'guesses'], not word, "),
        ("word,letters,word\n", "", "games.csv: the columns are ['word', 'letters', 'word'], not"),
        ("word,letters\n", "", "games.csv: it has no games"),
        ("word,letters\nbat,a\nb4t,a\n", "", "games.csv: line 3: word: 'b4t' is not"),
        ("word,letters\nbat\n", "", "games.csv: line 2: letters: '' is not"),
        ("word,letters\nbat,a,b\n", "", "games.csv: line 2: it has more cells"),
        ("word,letters\nbat,aebtx\n", "", "games.csv: line 2: letters: 'aebtx' goes on where 4"),
        ("word,letters\nbat,xyz\n", "--max-wrong 2", "goes on where 2 guesses end the game"),
        ("word,letters,agent\nbat,a,\t\n", "", "games.csv: line 2: agent: '\\t' is not a name"),
        ("word,letters\n\xff,a\n", "", "games.csv: not a text file in UTF-8"),
        (GAMES, "--csv games.csv", "--csv: "),
        (GAMES, "--agents random", "--agents: cannot be combined with --games-file"),
        (GAMES, "--report page.html", "--report: cannot be combined with --games-file"),
        (GAMES, "--env CatsAndDogs-v0", "--env: cannot be combined with --games-file"),
        (GAMES, "--server http://x --token t", "--server: cannot be combined with --games-file"),
    ],
)
def test_bad_files_of_games_are_one_line(
    games, options, message, known_policy, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if games is not None:
        (tmp_path / "games.csv").write_text(games, encoding="latin-1")
    done = run_main(main, capsys, "--games-file", "games.csv", *options.split())
    assert_refused(done, "evaluate.py", message)
