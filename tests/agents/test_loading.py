import pytest

from agents import DictionaryAgent
from agents.loading import LEARNED_AGENTS, check_agent_names, load_agent
from agents.posterior.mixture import MixturePosterior
from agents.posterior.windows import WindowPosterior
from envs.errors import InputError
from envs.hangman.observation import parse_observation


def test_agents_are_fitted_on_the_words_given():
    agent = load_agent("dictionary", ["cat", "car"])
    assert isinstance(agent, DictionaryAgent)
    expected = DictionaryAgent().fit(["cat", "car"])
    game = parse_observation("ca_")
    assert (agent.letter_probabilities(game) == expected.letter_probabilities(game)).all()


def test_learned_agents_are_read_from_the_files_of_a_run(tmp_path):
    saved = MixturePosterior(WindowPosterior(reach=2, rows_log2=10))
    saved.save(tmp_path / "posterior")
    agent = load_agent("posterior", [], posterior=tmp_path / "posterior")
    assert isinstance(agent, MixturePosterior)
    assert (agent.windows.reach, agent.windows.rows_log2) == (2, 10)
    with pytest.raises(InputError, match="nowhere: not a readable"):
        load_agent("posterior", [], posterior=tmp_path / "nowhere")


def test_names_are_checked():
    check_agent_names(["dictionary", "random", *LEARNED_AGENTS], option="--agents")
    with pytest.raises(InputError, match="--agents: 'nobody' is unknown; known are ppo, posterior"):
        check_agent_names(["random", "nobody"], option="--agents")
