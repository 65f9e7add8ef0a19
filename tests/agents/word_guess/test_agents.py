import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents.base import NotFittedError
from hangman_lab.agents.word_guess import (
    WORD_GUESS_AGENTS,
    FilterAgent,
    PartitionAgent,
    RandomConsistentAgent,
    make_word_guess_agent,
)
from hangman_lab.envs import WordGuessEnv
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.word_guess.rules import WordGuessGames
from hangman_lab.envs.word_guess.words import WordGame, default_words
from hangman_lab.evaluation import word_guess as evaluation
from tests.envs.word_guess.referee import cats_and_dogs, matches

SAMPLE = default_words(4)[::60]
CONSISTENT = ("minimax", "minimax-greedy", "entropy", "random-consistent")
# The first example of the source of Guess the Word.
EXAMPLE = ("acckzz", "ccbazz", "eiowzz", "abcczz")


def play(agent, game, secrets=None):
    """Return the words guessed in each game."""
    return evaluation.play(agent, game, secrets or game.allowed)["letters"].str.split()


@pytest.mark.parametrize(
    ("name", "game", "referee"),
    [(name, WordGame(SAMPLE), cats_and_dogs) for name in WORD_GUESS_AGENTS]
    + [(name, WordGame(EXAMPLE, variant="guess_the_word"), matches) for name in CONSISTENT],
)
def test_every_secret_is_found_alike_alone_and_in_a_batch(name, game, referee):
    """No word is guessed twice and, from the consistent pool, none that an answer excludes."""
    agent = make_word_guess_agent(name, seed=3).fit(game)
    together = play(agent, game)
    for secret, guesses in zip(game.allowed, together, strict=True):
        assert guesses[-1] == secret
        assert len(set(guesses)) == len(guesses)
        if name in CONSISTENT:
            for earlier, guess in itertools.combinations(guesses, 2):
                assert referee(earlier, guess) == referee(earlier, secret)
    for number in range(0, len(game), 17):
        assert play(agent, game, [game.allowed[number]])[0] == together[number]
    assert agent.act(WordGuessGames(1, game).observe(slice(0))).tolist() == []


def worst_set(sizes):
    return max(sizes, default=0)


def missing_information(sizes):
    return round(sum(size * math.log2(size) for size in sizes), 6)


@pytest.mark.parametrize("any_word", [False, True])
@pytest.mark.parametrize(
    ("name", "cost"), [("minimax", worst_set), ("entropy", missing_information)]
)
@settings(max_examples=15)
@given(st.data())
def test_the_greedy_guess_has_the_lowest_cost_of_a_plain_count(name, cost, any_word, data):
    words = tuple(
        data.draw(st.lists(st.sampled_from(SAMPLE), min_size=3, max_size=12, unique=True))
    )
    allowed = words + tuple(word for word in SAMPLE[:20] if word not in words)
    game = WordGame(words, allowed=allowed)
    agent = PartitionAgent(name, any_word).fit(game)
    guess = allowed[agent.act(WordGuessGames(1, game).observe())[0]]

    def cost_of(candidate):
        sizes = Counter(cats_and_dogs(candidate, word) for word in words)
        sizes.pop((0, 4), None)
        return cost(sizes.values())

    candidates = allowed if any_word else words
    costs = [cost_of(candidate) for candidate in candidates]
    assert guess == candidates[costs.index(min(costs))]


def test_rollouts_take_the_guess_after_which_the_greedy_agent_needs_the_fewest_guesses():
    words = SAMPLE[:30]

    def guesses_after(guess):
        sets = {}
        for word in set(words) - {guess}:
            sets.setdefault(cats_and_dogs(guess, word), []).append(word)
        games = [WordGame(sorted(left, key=words.index)) for left in sets.values()]
        return sum(play(PartitionAgent("minimax").fit(g), g).str.len().sum() for g in games)

    game = WordGame(words)
    agent = PartitionAgent("minimax", lookahead=len(words)).fit(game)
    guess = words[agent.act(WordGuessGames(1, game).observe())[0]]
    numbers = {word: guesses_after(word) for word in words}
    assert numbers[guess] == min(numbers.values()) < max(numbers.values())


def left_by_the_rules(guess, answer, words):
    """The rules of the filter, as stated in the text of the source."""
    pair = f"{answer[0]}{answer[1]}"
    if pair == "00":
        return {word for word in words if not set(word) & set(guess)}
    if pair in ("40", "31", "22"):
        return {word for word in words if sorted(word) == sorted(guess) and word != guess}
    shares_a_letter = {word for word in words if set(word) & set(guess) and word != guess}
    if pair in ("10", "20", "30"):
        return shares_a_letter
    return {
        word
        for word in shares_a_letter
        if sum(a == b for a, b in zip(word, guess, strict=True)) >= answer[1]
    }


def test_the_filter_follows_its_rules_and_guesses_words_without_vowels_first():
    words = tuple(sorted({*SAMPLE, "hymn", "lynx", "pfft", "clod", "cold", "oldy"}))
    game = WordGame(words)
    agents = (FilterAgent(seed=seed).fit(game) for seed in (0, 0, 1))
    first, again, other = (play(agent, game) for agent in agents)
    for secret, guesses in zip(words, first, strict=True):
        left = set(words)
        for guess in guesses:
            assert guess in ({word for word in left if not set(word) & set("aeiou")} or left)
            left = left_by_the_rules(guess, cats_and_dogs(guess, secret), left)
    # The order of the rest is drawn by the seed.
    assert first.equals(again)
    assert not first.equals(other)


def test_random_consistent_guesses_are_uniform_over_the_remaining_words():
    game = WordGame(SAMPLE)
    agent = RandomConsistentAgent(seed=5).fit(game)
    games = WordGuessGames(20_000, game)
    counts = np.bincount(agent.act(games.observe()), minlength=len(SAMPLE))
    expected = 20_000 / len(SAMPLE)
    assert (abs(counts - expected) < 6 * math.sqrt(expected)).all()


def test_inconsistent_answers_lead_to_the_first_word():
    agent = PartitionAgent("minimax").fit(WordGame(("bell", "cell")))
    # No word of the list shares all letters with "cell" at other places.
    assert agent.act(
        {"guesses": np.array([[1]]), "answers": np.array([[[4, 0]]]), "num_guesses": np.array([1])}
    ).tolist() == [0]


def test_an_unknown_agent_and_a_game_that_it_does_not_play_are_refused():
    with pytest.raises(InputError, match="agent 'best' is unknown"):
        make_word_guess_agent("best")
    with pytest.raises(InputError, match="plays Cats and Dogs alone"):
        FilterAgent().fit(WordGame(EXAMPLE, variant="guess_the_word"))


@pytest.mark.parametrize("name", WORD_GUESS_AGENTS)
def test_an_observation_that_no_game_has_is_refused(name):
    words = ("bell", "cell", "dell")
    with pytest.raises(NotFittedError, match="is not fitted"):
        make_word_guess_agent(name).act({})
    agent = make_word_guess_agent(name).fit(WordGame(words))
    env = WordGuessEnv(words)
    env.reset(seed=0, options={"word": "bell"})
    good = env.step(1)[0]
    assert type(agent.act(good, 3)) is int
    for message, arrays in (
        ("'guesses' has a value outside -1..2", {"guesses": good["guesses"] + 4}),
        ("more or fewer words than 'num_guesses'", {"num_guesses": np.int64(2)}),
        ("'num_guesses' has a value outside 0..128", {"num_guesses": np.int64(129)}),
        ("an answer that no word has", {"answers": np.full_like(good["answers"], 4)}),
        ("'answers' has float64", {"answers": good["answers"] * 1.0}),
        ("'answers' has the shape", {"answers": good["answers"][:, :1]}),
    ):
        with pytest.raises(InputError, match=message):
            agent.act({**good, **arrays})


@pytest.mark.parametrize("dtype", np.typecodes["AllInteger"])
def test_observations_have_any_integer_dtype(dtype):
    env = WordGuessEnv(words=SAMPLE)
    observation, _ = env.reset(seed=0)
    agent = make_word_guess_agent("minimax", 0).fit(WordGame(SAMPLE))
    counted = {**observation, "num_guesses": np.asarray(observation["num_guesses"]).astype(dtype)}
    assert agent.act(counted) == agent.act(observation)
