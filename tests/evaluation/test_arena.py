"""The arena, compared with the referee, and its reproducibility."""

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play
from tests.envs.hangman.referee import Referee

EVIL = Rules(host="evil")


def replay(game, max_wrong):
    """The referee's game with the same letters."""
    referee = Referee(game.word, max_wrong)
    for letter in game.letters:
        assert not referee.over
        referee.guess(letter)
    return referee


@pytest.mark.parametrize("max_wrong", [1, 6, 10, 26])
@pytest.mark.parametrize("name", ["random", "dictionary"])
def test_games_are_played_to_the_end_by_the_rules(real_words, name, max_wrong):
    agent = make_agent(name, seed=1).fit(real_words[1::2])
    ended: list[int] = []
    games = play(agent, real_words[:400], Rules(max_wrong), batch_size=64, advance=ended.append)
    assert sum(ended) == 400
    assert tuple(games["word"]) == tuple(real_words[:400])
    for _, game in games.iterrows():
        referee = replay(game, max_wrong)
        assert referee.over
        assert game.won == referee.won
        assert game.wrong_guesses == max_wrong - referee.lives
        assert game.guesses == len(referee.guessed)
        assert game.length == len(referee.word)
    if max_wrong == 26:
        assert games.won.all()


def test_no_words_make_no_games(real_words):
    games, some = (play(make_agent("random"), words) for words in ((), real_words[:3]))
    assert len(games) == 0
    assert games.dtypes.equals(some.dtypes)


def test_an_evil_host_depends_on_the_lengths_of_drawn_words_alone(real_words):
    agent = make_agent("dictionary").fit(real_words)
    drawn = real_words[::40]
    games = play(agent, drawn, EVIL, host_words=real_words, batch_size=32)
    assert games["length"].tolist() == [len(word) for word in drawn]
    assert set(games["word"]) <= set(real_words)
    # The agent is deterministic: games of a length are alike.
    assert (games.groupby("length").letters.nunique() == 1).all()
    for _, game in games.iterrows():
        referee = replay(game, 6)
        assert referee.over
        assert (game.won, game.wrong_guesses) == (referee.won, 6 - referee.lives)
    assert games.wrong_guesses.mean() > play(agent, drawn).wrong_guesses.mean() + 1


def test_words_that_cannot_be_played_are_refused(real_words):
    agent = make_agent("dictionary").fit(real_words)
    for words, options, message in (
        (
            ["abc"],
            {"rules": EVIL, "host_words": ["ab", "abcd"]},
            "words: none has 3 letters",
        ),
        ("abc", {}, "words: 'abc' is not a sequence of words"),
        (["a" * 33], {}, "is not a word of 1 to 32 letters"),
        (["abc"], {"batch_size": 0}, "batch_size: 0 is not an integer from 1"),
    ):
        with pytest.raises(InputError, match=message):
            play(agent, words, **options)
