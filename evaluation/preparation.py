"""From what is asked for to fitted agents and secret words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.loading import LEARNED_AGENTS, check_agent_names
from agents.posterior.prior import DEFAULT_KNOWN
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.keyed_random import keyed_bits
from envs.words import PARTS, Split, WordList, hash_words, load_word_list, read_word_list
from runs.agents import find_run, load_run_agent
from runs.config import Config

DEFAULT_AGENTS = ("dictionary", "random")


@dataclass(frozen=True)
class Request:
    """What is asked for; the options of ``evaluate.py`` of the same names.

    Without a run, the agents that are learned are those of the pretrained policy.
    """

    agents: Sequence[str] | None = None
    run: str | None = None
    words: str | None = None
    split: str | None = None
    secrets: str | None = None
    games: int | None = None
    repeats: int = 1
    max_wrong: int | None = None
    known: float = DEFAULT_KNOWN
    drop_seen: bool = False
    allow_seen: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Task:
    """What is to be played.

    Attributes
    ----------
    word_list : WordList
    train_words : tuple of str
        What agents are fitted on.
    words : tuple of str
        The secret words.
    split : str
        The name of the part that they are from, or the file.
    max_wrong : int
    """

    word_list: WordList
    train_words: tuple[str, ...]
    words: tuple[str, ...]
    split: str
    max_wrong: int


@dataclass(frozen=True)
class Prepared:
    """All that is needed to play.

    Attributes
    ----------
    request : Request
    task : Task
    words : tuple of str
        The secret words that are played: those of the task without what is left out.
    agents : dict of str to Agent
        Fitted, by name.
    known_words : ndarray of uint64
        The hashes of the known words: those that the run was fitted on if an agent is learned,
        else those of the train split.
    fitted_words : dict of str to ndarray of uint64
        By agent, the hashes of the words that it was fitted on, if any.
    """

    request: Request
    task: Task
    words: tuple[str, ...]
    agents: dict[str, Agent]
    known_words: npt.NDArray[np.uint64]
    fitted_words: dict[str, npt.NDArray[np.uint64]]

    @property
    def num_games(self) -> int:
        """Games per agent."""
        return len(self.words) * self.request.repeats


def prepare(
    request: Request,
    say: Callable[[str], None] = lambda line: None,
    more_agents: dict[str, Agent] | None = None,
) -> Prepared:
    """Load the words, fit or load the agents.

    Parameters
    ----------
    request : Request
    say : callable
        Called with lines for the user: what words there are, what was left out.
    more_agents : dict of str to Agent, optional
        Custom agents, which are fitted on the train split too.

    Raises
    ------
    InputError
        If what is asked for cannot be done.
    """
    for name in ("games", "repeats", "max_wrong"):
        number = getattr(request, name)
        if number is not None and number < 1:
            raise InputError(f"{name}: {number} is below 1")
    if not isinstance(request.known, Real) or not 0 <= request.known <= 1:
        raise InputError(f"known: {request.known!r} is not a probability in 0..1")
    names = request.agents
    if names is None:
        # The pretrained policy knows words of other lists, so there it has to be asked for.
        has_policy = request.run is not None or request.words is None
        names = [*(LEARNED_AGENTS if has_policy else ()), *DEFAULT_AGENTS]
    check_agent_names(names, "--agents")
    learned = [name for name in names if name in LEARNED_AGENTS]
    run = find_run(request.run, names)
    config = Config() if run is None else run.load_config()
    task = _make_task(request, config)
    say(task.word_list.describe())
    train_words = hash_words(task.train_words)
    known_words = run.load_fitted_words() if learned else train_words
    excluded_by = run.path if learned and request.known == 0 else None
    words = _handle_known(task.words, known_words, request, excluded_by, say)
    if request.games is not None:
        words = _sample(words, request.games, request.seed)
    agents = {
        name: load_run_agent(name, run, task.train_words, request.seed, request.known)
        for name in names
    }
    for name, agent in (more_agents or {}).items():
        agents[name] = agent.fit(task.train_words)
    fitted_words = {
        name: known_words if name in learned else train_words
        for name, agent in agents.items()
        # An agent without a `fit` of its own learns nothing from words.
        if name in learned or type(agent).fit is not Agent.fit
    }
    return Prepared(request, task, words, agents, known_words, fitted_words)


def _make_task(request: Request, config: Config) -> Task:
    word_list = load_word_list(request.words if request.words is not None else config.words)
    parts = Split(config.split.seed, tuple(config.split.fractions)).divide(word_list)
    if request.secrets is not None:
        if request.split is not None:
            raise InputError("--split: cannot be given with --secrets, which names the words")
        words, split = read_word_list(request.secrets).words, str(request.secrets)
    else:
        split = request.split or "test"
        if split not in PARTS:
            raise InputError(f"split: {split!r} is not one of {', '.join(PARTS)}")
        shortest, longest = config.env.min_length, config.env.max_length
        words = tuple(word for word in parts[split] if shortest <= len(word) <= longest)
        if not words:
            raise InputError(
                f"--split: {word_list.source} has no {split} word of {shortest} to {longest} "
                "letters"
            )
    max_wrong = request.max_wrong or config.env.max_wrong
    if max_wrong > 26:
        raise InputError(f"--max-wrong: {max_wrong} is not in 1..26 (default {DEFAULT_MAX_WRONG})")
    return Task(word_list, parts["train"], words, split, max_wrong)


def _handle_known(
    words: tuple[str, ...],
    known_words: npt.NDArray[np.uint64],
    request: Request,
    excluded_by: Path | None,
    say: Callable[[str], None],
) -> tuple[str, ...]:
    """Return the words to play; ``excluded_by`` is the run by whose prior none is known."""
    is_known = np.isin(hash_words(words), known_words)
    count = int(is_known.sum())
    if not count:
        return words
    if not request.drop_seen:
        if excluded_by is None or request.allow_seen:
            return words
        raise InputError(
            f"{count:,} of the {len(words):,} words are known words, which {excluded_by} was "
            "fitted on and --known 0 excludes; --known above 0 allows them, --drop-seen leaves "
            "them out, --allow-seen plays them anyway"
        )
    say(f"left out: {count:,} known words")
    if count == len(words):
        raise InputError("--drop-seen: no word is left to play")
    return tuple(word for word, known in zip(words, is_known, strict=True) if not known)


def _sample(words: tuple[str, ...], games: int, seed: int) -> tuple[str, ...]:
    if games > len(words):
        raise InputError(f"--games: {games:,} is more than the {len(words):,} words there are")
    order = np.argsort(keyed_bits(seed, hash_words(words)))[:games]
    return tuple(words[index] for index in np.sort(order))
