import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents.word_guess import (
    WORD_GUESS_AGENTS,
    FilterAgent,
    PartitionAgent,
    RandomConsistentAgent,
)
from hangman_lab.envs import WordGuessEnv
from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.word_guess.rules import WordGame
from hangman_lab.envs.words import default_word_list, hash_words
from hangman_lab.evaluation import word_guess as evaluation
from tests.envs.word_guess.referee import cats_and_dogs, matches

SAMPLE = tuple(word for word in default_word_list().words if len(word) == 4)[::60]
CONSISTENT = ("minimax", "minimax-greedy", "entropy", "random-consistent")
# The first example of the source of Guess the Word.
EXAMPLE = ("acckzz", "ccbazz", "eiowzz", "abcczz")


def play(agent, secrets=None):
    """Return the words guessed in each game."""
    return evaluation.play(agent, secrets or agent.game.allowed)["letters"].str.split()


def first_guess(agent):
    """Return the word that is guessed first."""
    bits = np.zeros(1, dtype=np.uint64)
    return agent.game.allowed[agent.choose(np.arange(len(agent.game.secrets)), bits)]


@pytest.mark.parametrize(
    ("name", "game", "referee"),
    [(name, WordGame(SAMPLE), cats_and_dogs) for name in WORD_GUESS_AGENTS]
    + [(name, WordGame(EXAMPLE, variant="guess_the_word"), matches) for name in CONSISTENT],
)
def test_every_secret_is_found_alike_alone_and_in_a_batch(name, game, referee):
    """No word is guessed twice and, from the consistent pool, none that an answer excludes."""
    agent = WORD_GUESS_AGENTS[name](game, 3)
    together = play(agent)
    for secret, guesses in zip(game.allowed, together, strict=True):
        assert guesses[-1] == secret
        assert len(set(guesses)) == len(guesses)
        if name in CONSISTENT:
            for earlier, guess in itertools.combinations(guesses, 2):
                assert referee(earlier, guess) == referee(earlier, secret)
    for number in range(0, len(game.allowed), 17):
        assert play(agent, [game.allowed[number]])[0] == together[number]


@pytest.mark.parametrize("name", WORD_GUESS_AGENTS)
def test_an_agent_plays_the_environment_as_the_evaluation(name):
    agent = WORD_GUESS_AGENTS[name](WordGame(SAMPLE), 3)
    key = int(keyed_bits(hash_words(SAMPLE[7:8]), 0)[0])
    env = WordGuessEnv(SAMPLE)
    observation, _ = env.reset(options={"word": SAMPLE[7]})
    guesses, terminated = [], False
    while not terminated:
        guesses.append(agent.act(observation, key))
        observation, _, terminated, *_ = env.step(guesses[-1])
    assert [SAMPLE[guess] for guess in guesses] == play(agent, SAMPLE[7:8])[0]
    # After a won game, the guess is the secret.
    assert agent.act(observation, key) == 7


def test_each_name_is_a_strategy_of_its_own():
    game = WordGame(SAMPLE)
    games = [play(make(game, 0)).str.join(" ") for make in WORD_GUESS_AGENTS.values()]
    assert len(set(map(tuple, games))) == len(games)


def worst_set(sizes):
    return max(sizes, default=0)


def missing_information(sizes):
    return round(sum(size * math.log2(size) for size in sizes), 6)


@pytest.mark.parametrize("any_word", [False, True])
@pytest.mark.parametrize(
    ("name", "cost"), [("minimax", worst_set), ("entropy", missing_information)]
)
@settings(max_examples=15)
@given(st.lists(st.sampled_from(SAMPLE), min_size=3, max_size=12, unique=True))
def test_the_greedy_guess_has_the_lowest_cost_of_a_plain_count(name, cost, any_word, words):
    allowed = words + [word for word in SAMPLE[:20] if word not in words]
    agent = PartitionAgent(WordGame(words, allowed=allowed), cost=name, any_word=any_word)

    def cost_of(candidate):
        sizes = Counter(cats_and_dogs(candidate, word) for word in words)
        sizes.pop((0, 4), None)
        return cost(sizes.values())

    candidates = allowed if any_word else words
    costs = [cost_of(candidate) for candidate in candidates]
    assert first_guess(agent) == candidates[costs.index(min(costs))]


def test_rollouts_take_the_guess_after_which_the_greedy_agent_needs_the_fewest_guesses():
    words = SAMPLE[:30]

    def guesses_after(guess):
        sets = {}
        for word in set(words) - {guess}:
            sets.setdefault(cats_and_dogs(guess, word), []).append(word)
        games = [WordGame(sorted(left, key=words.index)) for left in sets.values()]
        return sum(play(PartitionAgent(game, cost="minimax")).str.len().sum() for game in games)

    agent = PartitionAgent(WordGame(words), cost="minimax", lookahead=len(words))
    numbers = {word: guesses_after(word) for word in words}
    assert numbers[first_guess(agent)] == min(numbers.values()) < max(numbers.values())


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
    first, again, other = (play(FilterAgent(game, seed)) for seed in (0, 0, 1))
    for secret, guesses in zip(words, first, strict=True):
        left = set(words)
        for guess in guesses:
            assert guess in ({word for word in left if not set(word) & set("aeiou")} or left)
            left = left_by_the_rules(guess, cats_and_dogs(guess, secret), left)
    # The order of the rest is drawn by the seed.
    assert first.equals(again)
    assert not first.equals(other)


def test_random_consistent_guesses_are_uniform_over_the_remaining_words():
    agent, bits = RandomConsistentAgent(WordGame(SAMPLE)), keyed_bits(5, np.arange(20_000))
    counts = np.bincount(agent.choose(np.arange(len(SAMPLE)), bits), minlength=len(SAMPLE))
    expected = 20_000 / len(SAMPLE)
    assert (abs(counts - expected) < 6 * math.sqrt(expected)).all()


def test_what_an_agent_cannot_play_is_refused():
    agent = PartitionAgent(WordGame(("bell", "cell")), cost="minimax")
    # No word of the list shares all letters with "cell" at other places.
    observation = {"guesses": [1], "answers": [[4, 0]], "num_guesses": 1}
    with pytest.raises(InputError, match="no secret word has these answers"):
        agent.act(observation)
    others = {"guesses": [-1]}, {"answers": [[9, 9]]}, {"num_guesses": -1}, {"answers": [5]}
    for other in ({}, *(observation | other for other in others)):
        with pytest.raises(InputError, match="not one of this game"):
            agent.act(other)
    for number in (-1, True, 2**64):
        with pytest.raises(InputError, match=f"key: {number} is not an integer in 0"):
            agent.act(observation, number)
        with pytest.raises(InputError, match=f"seed: {number} is not an integer in 0"):
            RandomConsistentAgent(agent.game, number)
    with pytest.raises(InputError, match="plays Cats and Dogs alone"):
        FilterAgent(WordGame(EXAMPLE, variant="guess_the_word"))
