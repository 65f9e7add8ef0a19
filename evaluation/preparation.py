"""Preparation of an evaluation: from options to fitted agents and secret words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hangman_lab.agents import AGENTS
from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.agents.common import people_words
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.words import (
    DEFAULT_KNOWN,
    DEFAULT_SOURCE,
    WordList,
    default_word_list,
    hash_words,
    load_word_list,
)
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.reviews import load_reviewer
from hangman_lab.run_files.agents import (
    LEARNED_AGENTS,
    check_agent_names,
    find_run,
    load_run_agents,
)
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import draw_indices, load_words

ENV_ID = "Hangman-v0"
DEFAULT_AGENTS = ("dictionary", "random")


@dataclass(frozen=True)
class EvaluationSetup:
    """Fitted agents, the words that they play, and the rules."""

    agents: dict[str, Agent]  #: Fitted agents by name.
    words: Sequence[str]  #: The secret words.
    word_list: WordList  #: The list of the words.
    split: str  #: The part of the list, or "secrets".
    seed: int = 0
    rules: Rules = Rules()  # noqa: RUF009 - it is immutable
    #: The prior probability of known words, for the record; None without a posterior.
    known: float | None = DEFAULT_KNOWN
    common: float = 0.0  #: The probability that a known word was chosen as people choose words.
    #: Hashes of the known words; all other words are unseen.
    known_words: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    #: Hashes of the words that each agent was fitted on; these games count as ``fitted``.
    fitted_words: dict[str, npt.NDArray[np.uint64]] = field(default_factory=dict)
    #: The words of an evil host, for which ``words`` are drawn; by default ``words``.
    host_words: Sequence[str] | None = None
    repeat: int = 1  #: Games per word with an agent that draws.
    #: Returns the policy that reviews games, and the words that are listed for it.
    load_reviewer: Callable[[], tuple[PosteriorAgent, Sequence[str]]] = lambda: (
        load_reviewer(None, DEFAULT_KNOWN),
        default_word_list().words,
    )


def prepare(
    options: EvaluationOptions,
    say: Callable[[str], None] = lambda line: None,
    custom_agents: Mapping[str, Agent] | None = None,
) -> EvaluationSetup:
    """Load the words, and fit or load the agents; raise InputError if anything is invalid."""
    custom_agents = custom_agents or {}
    names = _agent_names(options)
    run = find_run(options.run, names)
    check_agent_names(names, options.spell("agents"), run)
    learned = [name for name in names if name not in AGENTS]
    config = Config() if run is None else run.load_config()
    run_words = load_words(config, options.words)
    say(run_words.word_list.describe())
    train_words = run_words.part("train")
    train_hashes = hash_words(train_words)
    # What agents were fitted on before: those of the run, and posteriors that are passed.
    fitted_words = dict.fromkeys(learned, run.load_fitted_words()) if run and learned else {}
    for name, agent in custom_agents.items():
        if isinstance(posterior := getattr(agent, "posterior", agent), LetterPosterior):
            fitted_words[name] = hash_words(posterior.known_words)
    has_posterior = bool(learned) and "posterior" in config.learner.agents
    excluded_by = run.path if run and has_posterior and options.known == 0 else None

    word_list, split = run_words.word_list, str(options.split or "test")
    if options.secrets is not None:
        word_list, split = load_word_list(options.secrets, "secrets"), "secrets"
        say(word_list.describe())
    words = word_list.words if options.secrets is not None else run_words.part(split)
    # The train words are known to the agents that are fitted below.
    known_words = fitted_words[learned[0]] if learned else train_hashes
    for name in custom_agents.keys() & fitted_words.keys():
        known_words = np.union1d(known_words, fitted_words[name])
    if options.common:
        people = hash_words(people_words())
        known_words = np.union1d(known_words, people)
        listing = {"dictionary", *(learned if has_posterior else ())}
        for name in listing.intersection(names):
            fitted_words[name] = np.union1d(fitted_words.get(name, train_hashes), people)
    words = _handle_known(words, known_words, options, excluded_by, say)
    rules = config.env.rules.with_options(options)
    if rules.host == "evil" and 0 < np.isin(hash_words(words), known_words).mean() < 1:
        raise InputError(
            f"{options.spell('host')} evil mixes known and unseen words; "
            f"use {options.spell('drop_known')}"
        )
    agents = load_run_agents(names, run, train_words, options.seed, options.known, options.common)
    agents |= _fit(custom_agents, train_words)
    if not agents:
        raise InputError(f"{options.spell('agents')}: at least one is needed")
    for name, agent in agents.items():
        # An agent that does not override `fit` learns nothing from words.
        if type(agent).fit is not Agent.fit:
            fitted_words.setdefault(name, train_hashes)

    def load_policy() -> tuple[PosteriorAgent, Sequence[str]]:
        policy = config.learner.agents[0]
        own = agents[policy] if policy in learned else None
        if not isinstance(own, PosteriorAgent):
            own = load_reviewer(run, options.known, options.common)
        return own, run_words.word_list.words

    return EvaluationSetup(
        agents=agents,
        words=sample_words(words, options),
        word_list=word_list,
        split=split,
        seed=options.seed,
        rules=rules,
        known=options.known if has_posterior else None,
        common=options.common,
        known_words=known_words,
        fitted_words=fitted_words,
        host_words=words,
        repeat=options.repeat,
        load_reviewer=load_policy,
    )


def _fit(agents: Mapping[str, Agent], words: Sequence[str]) -> Mapping[str, Agent]:
    """Fit custom agents; InputError if one is no agent, or its name cannot be printed."""
    for name, agent in agents.items():
        if not (isinstance(name, str) and name.isprintable() and name.strip()):
            raise InputError(f"agents: {name!r} is not a name that can be printed")
        if not isinstance(agent, Agent):
            raise InputError(f"agents: {name!r}: {agent!r} is not an object of a subclass of Agent")
        agent.fit(words)
    return agents


def sample_words(words: Sequence[str], options: EvaluationOptions) -> tuple[str, ...]:
    """Return the sample that is played, in its order; InputError if there are fewer words."""
    if options.games is None:
        return tuple(words)
    if options.games > len(words):
        games = f"{options.spell('games')}: {options.games:,}"
        raise InputError(f"{games} is more than the {len(words):,} words there are")
    indices = np.sort(draw_indices(words, options.games, options.seed))
    return tuple(words[int(index)] for index in indices)


def _agent_names(options: EvaluationOptions) -> Sequence[str]:
    """Return the requested agents, by default those available."""
    if options.agents is not None:
        return options.agents
    if options.run is not None:
        return [*RunDirectory.open(options.run).load_config().learner.agents, *DEFAULT_AGENTS]
    # The pretrained policy may know words of other lists, so that it is no default there.
    # An array of words cannot be compared with a name.
    is_default = isinstance(options.words, str | None) and options.words in (None, DEFAULT_SOURCE)
    return [*(LEARNED_AGENTS if is_default else ()), *DEFAULT_AGENTS]


def _handle_known(
    words: tuple[str, ...],
    known_words: npt.NDArray[np.uint64],
    options: EvaluationOptions,
    excluded_by: Path | None,
    say: Callable[[str], None],
) -> tuple[str, ...]:
    """Return the words to play; ``excluded_by`` is the run whose prior excludes known words."""
    is_known = np.isin(hash_words(words), known_words)
    count = int(is_known.sum())
    if not count:
        return words
    if not options.drop_known:
        if excluded_by is None or options.allow_known:
            return words
        known, drop, allow = map(options.spell, ("known", "drop_known", "allow_known"))
        why = f"{excluded_by} was fitted on them"
        if options.common:
            why += f", or people choose them ({options.spell('common')} 0 does not list these)"
        raise InputError(
            f"{count:,} of the {len(words):,} words are known words, which {known} 0 excludes: "
            f"{why}; use a higher {known}, {drop} to exclude them, or {allow} to play them"
        )
    say(f"excluded: {count:,} known words")
    if count == len(words):
        raise InputError(f"{options.spell('drop_known')}: all words are known")
    return tuple(word for word, known in zip(words, is_known, strict=True) if not known)
