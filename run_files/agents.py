"""Agents by name, fitted on words or loaded from a training run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent
from hangman_lab.agents.posterior.prior import WordPrior
from hangman_lab.agents.ppo.agent import NetworkAgent, PPOAgent, load_network
from hangman_lab.agents.ppo.network import Network, PolicyNetwork
from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.errors import InputError, check_number
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.config import LEARNERS, PPOOnPosteriorConfig
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory

# Loaded from a run. All other agents are fitted on the train split.
LEARNED_AGENTS = ("ppo", "look-ahead", "posterior")


def check_agent_names(names: Iterable[str], option: str, run: RunDirectory | None = None) -> None:
    """Raise InputError, with the name of ``option``, if an agent is unknown, also to ``run``."""
    own = () if run is None else run.load_config().learner.agents
    known = list(dict.fromkeys([*own, *LEARNED_AGENTS, *AGENTS]))
    for name in names:
        if name not in known:
            raise InputError(f"{option}: {name!r} is unknown; known are {', '.join(known)}")


def check_prior(name: str, known: float | None, common: float | None) -> None:
    """Raise InputError if the options --known or --common are given, but not used by the agent."""
    has_prior, named = name not in ("none", *AGENTS), ", ".join(LEARNED_AGENTS)
    if known is not None and not has_prior:
        raise InputError(f"--known: is for {named}, not for {name}")
    if common is not None and not (has_prior or name == "dictionary"):
        raise InputError(f"--common: is for {named} and dictionary, not for {name}")


def find_run(path: str | Path | None, names: Iterable[str]) -> RunDirectory | None:
    """Return the run at ``path``, by default the pretrained run if an agent needs it."""
    if path is None and all(name in AGENTS for name in names):
        return None
    return RunDirectory.open(PRETRAINED if path is None else path)


def load_policy(run: RunDirectory) -> Network:
    """Return the policy network of a run; raise InputError if its learner cannot have made it."""
    on_posterior = isinstance(run.load_config().learner, PPOOnPosteriorConfig)
    network, kind = load_network(run.policy), PolicyNetwork if on_posterior else WindowNetwork
    is_finite = all(np.isfinite(array).all() for array in network.weights.values())
    if type(network) is not kind or not is_finite:
        text = f"not a policy network of kind {kind.kind!r} with finite weights"
        raise InputError(f"{run.policy}: {text}")
    return network


def load_run_agent(
    name: str,
    run: RunDirectory | None,
    train_words: Sequence[str],
    seed: int = 0,
    known: float = DEFAULT_KNOWN,
    common: float = 0.0,
) -> Agent:
    """Return an agent; see :func:`load_run_agents`."""
    return load_run_agents((name,), run, train_words, seed, known, common)[name]


def load_run_agents(
    names: Iterable[str],
    run: RunDirectory | None,
    train_words: Sequence[str],
    seed: int = 0,
    known: float = DEFAULT_KNOWN,
    common: float = 0.0,
) -> dict[str, Agent]:
    """Return learned agents of a run, which share its prior, and agents fitted on ``train_words``.

    ``known`` is the prior probability, 0 to 1, that the secret is a word that the run was fitted
    on; ``common`` is the probability that such a word was chosen as people choose words, for the
    dictionary, too. Raises InputError if a file of the run cannot be read or is invalid, or the
    run lacks an agent.
    """
    check_number("known", known, 0, 1)
    check_number("common", common, 0, 1)
    prior: WordPrior | None = None
    agents: dict[str, Agent] = {}
    for name in names:
        # Without train words, only the agents of the run are available.
        if name in AGENTS and (train_words or run is None):
            agents[name] = make_agent(name, seed, common).fit(train_words)
            continue
        assert run is not None
        learner = run.load_config().learner
        if name not in learner.agents:
            available = ", ".join(learner.agents)
            raise InputError(f"agents: {run.path} has no agent {name!r}, only {available}")
        if learner.kind not in LEARNERS:
            agents[name] = learner.learner.agent_class.load(run.path)
            continue
        if not isinstance(learner, PPOOnPosteriorConfig):
            agents[name] = NetworkAgent(load_policy(run))
            continue
        if prior is None:
            prior = load_posterior(run.posterior, known).prior
            num_fitted = len(run.load_fitted_words())
            if prior.num_fitted != num_fitted:
                why = f"{prior.num_fitted:,} known words, not {num_fitted:,}"
                raise InputError(f"{run.posterior}: not the posterior of this run ({why})")
            prior = prior.with_prior(known, common)
        # A cache of beliefs for each agent: a shared one would distort measured speeds.
        posterior = LetterPosterior(prior)
        if name == "posterior":
            agents[name] = posterior
        elif name == "look-ahead":
            agents[name] = LookAheadAgent(posterior, learner.look_ahead_lives)
        else:
            agents[name] = PPOAgent(posterior, load_policy(run))
    return agents
