import pytest

from envs.hangman.game import Game
from playing.turns import YOU
from playing.versus import find_winner


def played(letters):
    game = Game("cab", 2)
    for letter in letters:
        game.guess("abcdefghijklmnopqrstuvwxyz".index(letter))
    assert game.over
    return game


@pytest.mark.parametrize(
    ("yours", "theirs", "winner"),
    [
        ("abc", "xy", YOU),
        ("xy", "cab", "ngram"),
        ("abc", "xabc", YOU),
        ("axbc", "cab", "ngram"),
        ("abc", "cba", None),
        ("xy", "abz" + "w", None),
    ],
)
def test_who_uncovers_the_word_with_fewer_wrong_guesses_wins(yours, theirs, winner):
    assert find_winner(played(yours), played(theirs), "ngram") == winner
