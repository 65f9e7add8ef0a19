"""Preparation of an evaluation: from options to fitted agents and secret words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from hangman_lab.agents import AGENTS
from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG
from hangman_lab.envs.words import (
    DEFAULT_KNOWN,
    DEFAULT_SOURCE,
    WordList,
    hash_words,
    load_word_list,
)
from hangman_lab.run_files.agents import (
    LEARNED_AGENTS,
    check_agent_names,
    find_run,
    load_run_agents,
)
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.options import validate
from hangman_lab.run_files.words import draw_indices, load_words

ENV_ID = "Hangman-v0"
DEFAULT_AGENTS = ("dictionary", "random")


class EvaluationOptions(BaseModel):
    """The options of ``evaluate.py`` and ``compare``."""

    # Errors name an option as it was given: ``max_wrong``, or ``--max-wrong`` by the command.
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        alias_generator=lambda name: f"--{name.replace('_', '-')}",
        populate_by_name=True,
    )

    #: Agent names; by default those available.
    agents: tuple[str, ...] | None = None
    #: A training run: its policy, word list and split; by default the pretrained policy.
    run: str | Path | None = None
    #: A word list, a file or its words; by default that of the run, or the default list.
    words: Any = None
    #: The part of the list; by default "test".
    split: Literal["train", "valid", "test"] | None = None
    #: The secrets, a file or its words; exactly these are played.
    secrets: Any = None
    #: The size of a random sample of the words; by default all are played.
    games: int | None = Field(default=None, ge=1)
    repeat: int = Field(default=1, ge=1)  #: Games per word, for the win rates of the worst words.
    #: Wrong guesses that lose a game; by default those of the run, or 6.
    max_wrong: int | None = Field(default=None, ge=1, le=NUM_LETTERS)
    #: By default that of the run, or "random".
    host: Literal["random", "evil"] | None = None
    #: The prior probability of a word that the run was fitted on; 0 refuses these words.
    known: float = Field(default=DEFAULT_KNOWN, ge=0, le=1)
    #: Exclude known words.
    drop_known: bool = False
    #: Play known words with ``known=0``.
    allow_known: bool = False
    #: The seed of samples.
    seed: int = Field(default=0, ge=0, lt=2**31)

    @classmethod
    def of(cls, **options: Any) -> EvaluationOptions:
        """Return the options; raise InputError if an option is invalid."""
        return validate(cls, options)

    @model_validator(mode="after")
    def _check(self) -> EvaluationOptions:
        if self.split is not None and self.secrets is not None:
            raise ValueError("--split: cannot be combined with --secrets")
        if self.drop_known and self.allow_known:
            raise ValueError("--allow-known: cannot be combined with --drop-known")
        if len(names := self.agents or ()) > len(set(names)):
            raise ValueError(f"--agents: {names} names an agent twice")
        return self


@dataclass(frozen=True)
class EvaluationSetup:
    """Fitted agents, the words that they play, and the rules."""

    agents: dict[str, Agent]  #: Fitted agents by name.
    words: Sequence[str]  #: The secret words.
    word_list: WordList  #: The list of the words.
    split: str  #: The part of the list, or "secrets".
    seed: int = 0
    max_wrong: int = DEFAULT_MAX_WRONG
    #: The prior probability of known words, for the record; None without a posterior.
    known: float | None = DEFAULT_KNOWN
    #: Hashes of the known words; all other words are unseen.
    known_words: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    #: Hashes of the words that each agent was fitted on; these games count as ``fitted``.
    fitted_words: dict[str, npt.NDArray[np.uint64]] = field(default_factory=dict)
    #: The words of the evil host, for which ``words`` are drawn; None for the random host.
    evil_words: Sequence[str] | None = None
    repeat: int = 1  #: Games per word with an agent that draws.


def prepare(
    options: EvaluationOptions,
    say: Callable[[str], None] = lambda line: None,
    custom_agents: Mapping[str, Agent] | None = None,
) -> EvaluationSetup:
    """Load the words, and fit or load the agents; raise InputError if anything is invalid."""
    names = _agent_names(options)
    check_agent_names(names, "--agents")
    learned = [name for name in names if name not in AGENTS]
    run = find_run(options.run, names)
    config = Config() if run is None else run.load_config()
    run_words = load_words(config, options.words)
    say(run_words.word_list.describe())
    split: str = options.split or "test"
    if options.secrets is not None:
        word_list, split = load_word_list(options.secrets, "secrets"), "secrets"
        say(word_list.describe())
        words = word_list.words
    else:
        word_list = run_words.word_list
        words = run_words.part(split)
    train_words = run_words.part("train")
    train_hashes = hash_words(train_words)
    has_posterior = bool(learned) and "posterior" in config.learner.agents
    known_words, excluded_by = train_hashes, None
    if run is not None and learned:
        known_words = run.load_fitted_words()
        excluded_by = run.path if has_posterior and options.known == 0 else None
    fitted_words = dict.fromkeys(learned, known_words)
    for name, agent in (custom_agents or {}).items():
        if isinstance(posterior := getattr(agent, "posterior", agent), LetterPosterior):
            fitted_words[name] = hash_words(posterior.known_words)
            known_words = np.union1d(known_words, fitted_words[name])
    words = _handle_known(words, known_words, options, excluded_by, say)
    evil_words = words if (options.host or config.env.host) == "evil" else None
    if evil_words is not None and 0 < np.isin(hash_words(words), known_words).mean() < 1:
        raise InputError("--host evil mixes known and unseen words; use --drop-known")
    if options.games is not None:
        words = sample_words(words, options.games, options.seed)
    agents = load_run_agents(names, run, train_words, options.seed, options.known)
    agents |= _fit(custom_agents or {}, train_words)
    if not agents:
        raise InputError("--agents: at least one is needed")
    for name, agent in agents.items():
        # An agent that does not override `fit` learns nothing from words.
        if type(agent).fit is not Agent.fit:
            fitted_words.setdefault(name, train_hashes)
    return EvaluationSetup(
        agents=agents,
        words=words,
        word_list=word_list,
        split=split,
        seed=options.seed,
        max_wrong=config.env.max_wrong if options.max_wrong is None else options.max_wrong,
        known=options.known if has_posterior else None,
        known_words=known_words,
        fitted_words=fitted_words,
        evil_words=evil_words,
        repeat=options.repeat,
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


def sample_words(words: Sequence[str], games: int, seed: int) -> tuple[str, ...]:
    """Return a sample of words in their order; raise InputError if there are fewer words."""
    if games > len(words):
        raise InputError(f"--games: {games:,} is more than the {len(words):,} words there are")
    return tuple(words[int(index)] for index in np.sort(draw_indices(words, games, seed)))


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
        raise InputError(
            f"{count:,} of the {len(words):,} words are known words: {excluded_by} was fitted on "
            "them and --known 0 excludes them; use a higher --known, --drop-known to exclude them, "
            "or --allow-known to play them"
        )
    say(f"excluded: {count:,} known words")
    if count == len(words):
        raise InputError("--drop-known: all words are known")
    return tuple(word for word, known in zip(words, is_known, strict=True) if not known)
