"""Preparation of an evaluation: from its options to fitted agents and secret words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents import AGENTS
from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.encoding import NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import WordList, hash_words, load_word_list
from run_files.agents import (
    LEARNED_AGENTS,
    check_agent_names,
    find_run,
    learned_agents,
    load_run_agent,
)
from run_files.config import Config
from run_files.directory import RunDirectory
from run_files.words import draw_indices, load_words

ENV_ID = "Hangman-v0"
DEFAULT_AGENTS = ("dictionary", "random")


class Request(BaseModel):
    """The options of ``evaluate.py`` and the keywords of ``compare``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    #: Names; those at hand if not given.
    agents: tuple[str, ...] | None = None
    #: A training run: its policy, its word list and its split; the pretrained one if not given.
    run: str | Path | None = None
    #: A word list, a file or its words; the default list or the run's if not given.
    words: str | Path | tuple[str, ...] | None = None
    #: The part of the list; test if not given.
    split: Literal["train", "valid", "test"] | None = None
    #: Play exactly these words, or those of this file.
    secrets: str | Path | tuple[str, ...] | None = None
    #: Play this many of the words, drawn by seed; all if not given.
    games: int | None = Field(None, ge=1)
    #: Wrong guesses allowed; 6 or the run's if not given.
    max_wrong: int | None = Field(None, ge=1, le=NUM_LETTERS)
    #: The prior probability that the secret is a word that the run was fitted on; at 0 these words
    #: are refused.
    known: float = Field(DEFAULT_KNOWN, ge=0, le=1)
    #: Leave out known words.
    drop_seen: bool = False
    #: Play known words in spite of ``known=0``.
    allow_seen: bool = False
    #: Of random draws.
    seed: int = Field(0, ge=0, lt=2**31)

    @classmethod
    def of(cls, **options: Any) -> Request:
        """Return the request with these options; raise InputError if one of them is invalid."""
        try:
            return cls(**options)
        except ValidationError as error:
            raise InputError(_describe(error)) from None

    @model_validator(mode="after")
    def _check(self) -> Request:
        if self.split is not None and self.secrets is not None:
            raise ValueError("split: cannot be given with secrets, which names the words")
        return self


def _describe(error: ValidationError) -> str:
    """Return the first thing that is wrong: the keyword, its value and what is allowed."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "extra_forbidden":
        return f"{name}: there is no such option; there are {', '.join(Request.model_fields)}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return f"{name}: {first['input']!r} is not allowed (i{first['msg'][1:]})"


@dataclass(frozen=True)
class Match:
    """Agents, the words that they play, and the rules."""

    agents: dict[str, Agent]  #: Fitted, by name.
    words: Sequence[str]  #: The secret words.
    word_list: WordList  #: The list that the words are from.
    split: str  #: The part of the list that the words are, or a file.
    seed: int = 0
    max_wrong: int = DEFAULT_MAX_WRONG
    #: The prior of the agents that have one, for the record; None for those of PPO alone.
    known: float | None = DEFAULT_KNOWN
    #: Hashes of the known words; the rest is unseen.
    known_words: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    #: By agent, hashes of the words that it was fitted on; games on these count as ``seen``.
    fitted_words: dict[str, npt.NDArray[np.uint64]] = field(default_factory=dict)


def prepare(
    request: Request,
    say: Callable[[str], None] = lambda line: None,
    custom_agents: dict[str, Agent] | None = None,
) -> Match:
    """Load the words; fit the agents, custom ones too, or load them.

    ``say`` is called with lines for the user. Raises InputError if an option is invalid or a file
    cannot be used.
    """
    names = _agent_names(request)
    check_agent_names(names, "agents")
    learned = [name for name in names if name not in AGENTS]
    run = find_run(request.run, names)
    config = Config() if run is None else run.load_config()
    run_words = load_words(config, request.words)
    say(run_words.word_list.describe())
    split = request.split or "test"
    if request.secrets is not None:
        secrets = load_word_list(request.secrets, "secrets")
        words, split = secrets.words, secrets.source
    else:
        words = run_words.part(split)
    train_words = run_words.part("train")
    train_hashes = hash_words(train_words)
    known_words = run.load_fitted_words() if learned else train_hashes
    excluded_by = run.path if learned and request.known == 0 else None
    words = _handle_known(words, known_words, request, excluded_by, say)
    if request.games is not None:
        words = sample_words(words, request.games, request.seed)
    agents = {
        name: load_run_agent(name, run, train_words, request.seed, request.known) for name in names
    }
    for name, agent in (custom_agents or {}).items():
        agents[name] = agent.fit(train_words)
    if not agents:
        raise InputError("agents: at least one is needed")
    fitted_words = {
        name: known_words if name in learned else train_hashes
        for name, agent in agents.items()
        # An agent without a `fit` of its own learns nothing from words.
        if name in learned or type(agent).fit is not Agent.fit
    }
    return Match(
        agents,
        words,
        run_words.word_list,
        split,
        request.seed,
        config.env.max_wrong if request.max_wrong is None else request.max_wrong,
        request.known if config.posterior.enabled else None,
        known_words,
        fitted_words,
    )


def sample_words(words: Sequence[str], games: int, seed: int) -> tuple[str, ...]:
    """Return this many words, drawn by seed, in their order; InputError if there are fewer."""
    if games > len(words):
        raise InputError(f"games: {games:,} is more than the {len(words):,} words there are")
    return tuple(words[index] for index in np.sort(draw_indices(words, games, seed)))


def _agent_names(request: Request) -> Sequence[str]:
    """Return the agents that are asked for, by default those at hand."""
    if request.agents is not None:
        return request.agents
    if request.run is not None:
        return [*learned_agents(RunDirectory.open(request.run)), *DEFAULT_AGENTS]
    # The pretrained policy knows words of other lists, so there it has to be asked for.
    return [*(LEARNED_AGENTS if request.words is None else ()), *DEFAULT_AGENTS]


def _handle_known(
    words: tuple[str, ...],
    known_words: npt.NDArray[np.uint64],
    request: Request,
    excluded_by: Path | None,
    say: Callable[[str], None],
) -> tuple[str, ...]:
    """Return the words to play; ``excluded_by`` is the run whose prior excludes known words."""
    is_known = np.isin(hash_words(words), known_words)
    count = int(is_known.sum())
    if not count:
        return words
    if not request.drop_seen:
        if excluded_by is None or request.allow_seen:
            return words
        raise InputError(
            f"{count:,} of the {len(words):,} words are known words, which {excluded_by} was "
            "fitted on and known=0 excludes; a higher one allows them, drop_seen leaves them "
            "out, allow_seen plays them anyway"
        )
    say(f"left out: {count:,} known words")
    if count == len(words):
        raise InputError("drop_seen: no word is left to play")
    return tuple(word for word, known in zip(words, is_known, strict=True) if not known)
