"""Properties of every agent in ``AGENTS``."""

from __future__ import annotations

import pytest

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.evaluation.arena import play

WORDS = ("a", "at", "cat", "cot", "dog", "jazz", "apple", "applepie", "banana", "cabbage")


@pytest.fixture(scope="module", params=sorted(AGENTS))
def agent(request):
    return make_agent(request.param, seed=3).fit(WORDS)


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        pytest.param("_____", "aeiou", id="no word of the length is left"),
        pytest.param("qq_", "", id="no word agrees with the places"),
        pytest.param("_" * 32, "etaoin", id="the longest word there can be"),
        pytest.param("_", "abcdefghijklmnopqrstuvwxy", id="one letter left"),
        pytest.param("ban_n_", "", id="every word that agrees hides a shown letter only"),
    ],
)
def test_the_guess_is_an_unguessed_letter(agent, pattern, wrong):
    observation = parse_observation(pattern, wrong, max_wrong=26)
    assert observation["guessed"][0, agent.act(observation)[0]] == 0


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_a_list_with_a_single_word_is_enough(name):
    played = play(make_agent(name).fit(("a",)), ("a", "quiz", "b"), max_wrong=26)
    assert played.won.all()
    if name != "random":
        assert played.wrong_guesses[0] == 0


def test_batch_size_and_order_do_not_matter(agent, real_words):
    secrets = real_words[:60]
    together = play(agent, secrets)
    apart = play(agent, secrets[::-1], batch_size=7)
    assert apart["letters"].tolist()[::-1] == together["letters"].tolist()
