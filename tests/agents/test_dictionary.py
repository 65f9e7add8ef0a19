import numpy as np
import pytest

from agents.dictionary import DictionaryAgent
from envs.encoding import ALPHABET
from tests.agents.games import observe, random_states
from tests.agents.test_candidates import letter_counts, matching


def observations_of(states):
    for game in range(len(states["lives"])):
        yield {key: array[game] for key, array in states.items()}


def referee(words, observation, exclude_guessed, once_a_word):
    """The agent's letter, by regular expressions."""
    left = [letter for letter in range(26) if not observation["guessed"][letter]]
    rules = [(True, True), (True, False)] if exclude_guessed else [(False, False)]
    for exclude_wrong, exclude_shown in rules:
        fit = matching(words, observation, exclude_wrong, exclude_shown)
        counts = letter_counts(fit, once_a_word)
        if any(counts[letter] for letter in left):
            return max(left, key=lambda letter: counts[letter])
    counts = letter_counts(words, once_a_word)
    return max(left, key=lambda letter: counts[letter])


@pytest.mark.parametrize("exclude_guessed", [True, False])
@pytest.mark.parametrize("once_a_word", [True, False])
def test_letters_on_real_words_are_those_of_a_plain_search(
    real_words, exclude_guessed, once_a_word
):
    listed = real_words[::3]
    agent = DictionaryAgent(exclude_guessed, once_a_word).fit(listed)
    states, _ = random_states(real_words[:120], seed=5)
    letters = agent.act(states)
    for letter, observation in zip(letters, observations_of(states), strict=True):
        assert letter == referee(listed, observation, exclude_guessed, once_a_word)


def test_the_posterior_is_exact_for_secrets_of_the_list(real_words):
    agent = DictionaryAgent().fit(real_words)
    states, secrets = random_states(real_words[:150], seed=2)
    probabilities = agent.letter_probabilities(states)
    assert probabilities.dtype == np.float64
    for row, secret, observation in zip(
        probabilities, secrets, observations_of(states), strict=True
    ):
        # Every word that would have led to this observation is equally likely.
        letters = [ALPHABET[letter] for letter in np.flatnonzero(observation["guessed"])]
        same = [
            word
            for word in real_words
            if len(word) == len(secret)
            and all(
                [place == letter for place in word] == [place == letter for place in secret]
                for letter in letters
            )
        ]
        assert secret in same
        for letter, name in enumerate(ALPHABET):
            share = sum(name in word for word in same) / len(same)
            expected = 0.0 if observation["guessed"][letter] else share
            assert row[letter] == pytest.approx(expected)


def test_it_backs_off_where_no_word_fits():
    agent = DictionaryAgent().fit(["cat", "tot", "eel", "eve", "elm"])
    # A t after the first place: only "cat" and "tot" fit; with the t shown, "tot" does not.
    assert ALPHABET[agent.act(observe("bit", "t"))[0]] in "ac"
    # Nothing of this length: the most frequent letter of the list.
    assert ALPHABET[agent.act(observe("zebra", ""))[0]] == "e"
    assert agent.letter_probabilities(observe("zebra", ""))[0, 4] == pytest.approx(3 / 5)
    # Here only "tot" agrees with the shown letters, with a t behind a blank.
    agent = DictionaryAgent().fit(["tot", "eel"])
    batch = observe("bit", "t")
    assert ALPHABET[agent.act(batch)[0]] == "o"


def test_probabilities_of_guessed_letters_are_zero(real_words):
    agent = DictionaryAgent().fit(real_words)
    states, _ = random_states(real_words[:300], seed=4)
    probabilities = agent.letter_probabilities(states)
    assert (probabilities[states["guessed"] != 0] == 0).all()
    assert probabilities.min() >= 0
    assert probabilities.max() <= 1
