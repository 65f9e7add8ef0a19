from typing import Any

import numpy as np
import pytest

from hangman_lab.agents import DictionaryAgent
from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent
from hangman_lab.agents.ppo.agent import NetworkAgent, PPOAgent, save_network
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.agents import LEARNED_AGENTS, find_run, load_run_agent, load_run_agents
from hangman_lab.run_files.config import Config, PosteriorConfig, WindowsConfig
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.training.networks import PolicyModule, WindowModule
from tests.agents.posterior.priors import WORDS, posterior_of


@pytest.fixture
def run(tmp_path):
    run = RunDirectory.create(Config(), tmp_path / "run")
    run.write_fitted_words(WORDS)
    return run


def test_the_pretrained_run_is_the_default_of_learned_agents(run, tmp_path):
    assert find_run(None, ["dictionary", "random"]) is None
    for path, names in ((None, ["dictionary", "posterior"]), (run.path, ["random"])):
        found = find_run(path, names)
        assert found is not None
        assert found.path == (path or PRETRAINED)
    with pytest.raises(InputError, match="not the folder of a run"):
        find_run(tmp_path, [])


def test_agents_are_fitted_on_the_given_words():
    agent = load_run_agent("dictionary", None, ["cat", "car"])
    assert isinstance(agent, DictionaryAgent)
    expected = DictionaryAgent().fit(["cat", "car"])
    game = parse_observation("ca_")
    assert (agent.letter_probabilities(game) == expected.letter_probabilities(game)).all()


def test_learned_agents_are_loaded_from_a_run(run):
    saved = posterior_of()
    save_posterior(saved, run.posterior)
    save_network(PolicyModule(look_ahead_lives=2).to_numpy(), run.policy)
    agents: dict[str, Any] = load_run_agents(LEARNED_AGENTS, run, ["cat"])
    assert list(agents) == [*LEARNED_AGENTS]
    ppo, look_ahead, posterior = agents.values()
    assert list(map(type, agents.values())) == [PPOAgent, LookAheadAgent, LetterPosterior]
    assert ppo.network.sizes["look_ahead_lives"] == 2
    assert look_ahead.max_lives == PosteriorConfig().look_ahead_lives
    game = parse_observation("_a__a_e")
    expected = saved.letter_probabilities(game)
    for agent in agents.values():
        np.testing.assert_allclose(agent.letter_probabilities(game), expected, rtol=1e-6)
    # The prior is in memory once, beliefs are not shared.
    assert ppo.posterior.prior is look_ahead.posterior.prior is posterior.prior
    assert len({id(ppo.posterior), id(look_ahead.posterior), id(posterior)}) == 3
    run.posterior.unlink()
    with pytest.raises(InputError, match=r"posterior\.safetensors: not a readable"):
        load_run_agent("posterior", run, ["cat"])


def test_a_policy_that_the_learner_of_a_run_cannot_have_made_is_refused(run, tmp_path):
    save_posterior(posterior_of(), run.posterior)
    windows = RunDirectory.create(Config(learner=WindowsConfig()), tmp_path / "windows")
    on_posterior, on_windows = PolicyModule().to_numpy(), WindowModule(log_rows=4).to_numpy()
    diverged = PolicyModule().to_numpy()
    diverged.weights["letters.4.bias"] = np.full(1, np.nan, dtype=np.float32)
    for there, kind, network in (
        (run, "network", on_windows),
        (run, "network", diverged),
        (windows, "windows", on_posterior),
    ):
        save_network(network, there.policy)
        message = rf"{there.policy}: not a policy network of kind '{kind}' with finite weights$"
        with pytest.raises(InputError, match=message):
            load_run_agent("ppo", there, ())


def test_learned_agents_have_the_given_prior_of_known_words(run):
    save_posterior(posterior_of(share=0.25), run.posterior)

    def load(**known) -> Any:
        return load_run_agent("posterior", run, (), **known)

    assert load().prior.known == DEFAULT_KNOWN
    assert load(known=0.75).prior.known == 0.75
    # The file is not to blame.
    with pytest.raises(InputError, match=r"^known: 2 is not a number in 0..1$"):
        load(known=2)
    run.write_fitted_words(WORDS[:4])
    with pytest.raises(
        InputError, match=r"not the posterior of this run \(10 known words, not 4\)"
    ):
        load()


def test_a_run_has_the_agents_of_its_config(tmp_path):
    alone = RunDirectory.create(Config(learner=WindowsConfig()), tmp_path / "alone")
    save_network(WindowModule(log_rows=4).to_numpy(), alone.policy)
    assert type(load_run_agent("ppo", alone, ())) is NetworkAgent
    blind = RunDirectory.create(
        Config(learner=PosteriorConfig(look_ahead_lives=0)), tmp_path / "blind"
    )
    for run, agents, missing in (
        (alone, ("ppo",), "posterior"),
        (blind, ("ppo", "posterior"), "look-ahead"),
    ):
        message = f"{run.path} has no agent '{missing}', only {', '.join(agents)}$"
        with pytest.raises(InputError, match=message):
            load_run_agent(missing, run, ())
