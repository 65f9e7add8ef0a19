import numpy as np
import pytest

from agents import make_agent
from agents.base import Agent
from envs.encoding import ALPHABET
from evaluation.arena import play
from tests.envs.hangman.referee import Referee, agrees


class Alphabetical(Agent):
    """Guesses the letters in their order, and keeps what it saw."""

    def __init__(self):
        self.seen = []

    def act(self, observations, games=None):
        self.seen.append(observations)
        return (observations["guessed"] == 0).argmax(axis=1)


def replay(played, game):
    """The referee's game with the letters that were played."""
    referee = Referee(played.words[played.word_index[game]], played.max_wrong)
    for letter in played.letters[game]:
        if letter < 0:
            break
        assert not referee.over
        referee.guess(ALPHABET[letter])
    return referee


@pytest.mark.parametrize("max_wrong", [1, 6, 10, 26])
@pytest.mark.parametrize("name", ["random", "dictionary"])
def test_games_are_played_to_the_end_by_the_rules(real_words, name, max_wrong):
    agent = make_agent(name, seed=1).fit(real_words[1::2])
    played = play(agent, real_words[:400], max_wrong, batch_size=64)
    assert len(played) == 400
    assert played.words == tuple(real_words[:400])
    for game in range(len(played)):
        referee = replay(played, game)
        assert referee.over
        assert played.won[game] == referee.won
        assert played.wrong_guesses[game] == max_wrong - referee.lives
        assert played.num_guesses[game] == len(referee.guessed)
        assert played.lengths[game] == len(referee.word)
    if max_wrong == 26:
        assert played.won.all()


def test_agents_see_what_a_player_sees():
    agent = Alphabetical()
    words = ("banana", "ox", "zoo")
    play(agent, words)
    referees = [Referee(word) for word in words]
    for turn, batch in enumerate(agent.seen):
        going_on = [referee for referee in referees if not referee.over]
        assert len(batch["lives"]) == len(going_on)
        for game, referee in enumerate(going_on):
            assert agrees({key: array[game] for key, array in batch.items()}, referee, 6)
            referee.guess(ALPHABET[turn])
    assert all(referee.over for referee in referees)


@pytest.mark.parametrize("name", ["random", "dictionary"])
def test_a_words_games_do_not_depend_on_order_batch_or_list(real_words, name):
    words = real_words[:300]
    agent = make_agent(name, seed=2).fit(real_words)

    def letters_by_word(played):
        games = {}
        for game in range(len(played)):
            letters = [letter for letter in played.letters[game] if letter >= 0]
            games.setdefault(played.words[played.word_index[game]], []).append(letters)
        return games

    reference = letters_by_word(play(agent, words, repeats=2))
    assert letters_by_word(play(agent, words[::-1], repeats=2, batch_size=7)) == reference
    part = letters_by_word(play(agent, words[100:120], repeats=2))
    assert part == {word: reference[word] for word in words[100:120]}
    first = letters_by_word(play(agent, words))
    assert all(first[word] == reference[word][:1] for word in words)


def test_repeats_of_a_word_draw_anew_for_agents_that_draw(real_words):
    words = real_words[:50]
    played = play(make_agent("random", seed=0), words, repeats=4)
    assert np.bincount(played.word_index).tolist() == [4] * 50
    games = played.letters.reshape(50, 4, -1)
    assert (games[:, 0] != games[:, 1]).any(axis=1).mean() > 0.9
    other_seed = play(make_agent("random", seed=1), words, repeats=4)
    assert (
        other_seed.letters.shape != played.letters.shape
        or (other_seed.letters != played.letters).any()
    )
    again = play(make_agent("random", seed=0), words, repeats=4)
    assert np.array_equal(again.letters, played.letters)


def test_progress_adds_up(real_words):
    calls = []
    played = play(
        make_agent("random"),
        real_words[:100],
        repeats=3,
        batch_size=64,
        progress=lambda games, won: calls.append((games, won)),
    )
    assert sum(games for games, _ in calls) == 300
    assert all(0 <= won <= games for games, won in calls)
    assert sum(won for _, won in calls) == played.won.sum()


def test_no_words_make_no_games():
    played = play(make_agent("random"), ())
    assert len(played) == 0
    assert played.num_guesses.tolist() == []
