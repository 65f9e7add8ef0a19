import numpy as np
import pytest
from safetensors.numpy import save_file

from agents import DictionaryAgent
from agents.loading import LEARNED_AGENTS, check_agent_names, load_agent
from agents.posterior.posterior import LetterPosterior, UniformPosterior
from agents.posterior.prior import DEFAULT_KNOWN
from agents.ppo.agent import PPOAgent, save_network
from agents.ppo.network import PolicyNetwork
from envs.encoding import letter_index
from envs.errors import InputError
from envs.hangman.observation import parse_observation
from tests.agents.posterior.priors import posterior_of


def test_agents_are_fitted_on_the_words_given():
    agent = load_agent("dictionary", ["cat", "car"])
    assert isinstance(agent, DictionaryAgent)
    expected = DictionaryAgent().fit(["cat", "car"])
    game = parse_observation("ca_")
    assert (agent.letter_probabilities(game) == expected.letter_probabilities(game)).all()


def test_learned_agents_are_read_from_the_files_of_a_run(tmp_path):
    posterior, policy = tmp_path / "posterior", tmp_path / "policy"
    saved = posterior_of()
    saved.save(posterior)
    save_network(PolicyNetwork(letter_hidden=5), policy)
    agent = load_agent("posterior", [], posterior=posterior)
    assert isinstance(agent, LetterPosterior)
    game = parse_observation("_a__a_e")
    expected = saved.letter_probabilities(game)
    np.testing.assert_allclose(agent.letter_probabilities(game), expected, rtol=1e-6)
    agent = load_agent("ppo", [], posterior=posterior, policy=policy)
    assert isinstance(agent, PPOAgent)
    assert agent.network.parameters_of_init["letter_hidden"] == 5
    np.testing.assert_allclose(agent.letter_probabilities(game), expected, rtol=1e-6)
    with pytest.raises(InputError, match="nowhere: not a readable"):
        load_agent("posterior", [], posterior=tmp_path / "nowhere")


def test_learned_agents_have_the_prior_of_known_words_that_is_asked_for(tmp_path):
    posterior_of(share=0.25).save(tmp_path / "posterior")

    def load(*known):
        return load_agent("posterior", [], 0, tmp_path / "posterior", None, *known)

    assert load().prior.known == DEFAULT_KNOWN
    assert load(0.75).prior.known == 0.75
    # "cabbage" is known, and no other word is as likely.
    game = parse_observation("_abbage")
    c = letter_index("c")
    assert load(1.0).letter_probabilities(game)[0, c] > 0.99
    assert load(0.0).letter_probabilities(game)[0, c] < 0.9


def test_a_run_without_a_posterior_has_an_agent_that_knows_no_word(tmp_path):
    UniformPosterior().save(tmp_path / "posterior")
    agent = load_agent("posterior", [], posterior=tmp_path / "posterior")
    chances = agent.letter_probabilities(parse_observation("_a__", "x"))[0]
    assert set(np.unique(chances)) == {0.0, chances.max()}
    assert sum(chances == 0) == 2


def test_a_posterior_of_an_earlier_version_is_refused_in_one_line(tmp_path):
    path = tmp_path / "posterior.safetensors"
    earlier = {"windows.reach": np.array(4), "ngrams.counts": np.zeros(3)}
    for tensors in (earlier, earlier | {"format": np.array(1)}):
        save_file(tensors, path)
        with pytest.raises(InputError, match="another version; train anew") as caught:
            load_agent("posterior", [], posterior=path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_names_are_checked():
    check_agent_names(["dictionary", "random", *LEARNED_AGENTS], option="--agents")
    with pytest.raises(InputError, match="--agents: 'nobody' is unknown; known are ppo, posterior"):
        check_agent_names(["random", "nobody"], option="--agents")
