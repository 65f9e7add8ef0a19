"""From what is asked for to fitted agents and secret words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.encoding import NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import PARTS, hash_words, read_word_list
from evaluation.comparison import Match
from runs.agents import LEARNED_AGENTS, check_agent_names, find_run, load_run_agent
from runs.config import Config
from runs.words import RunWords, draw_indices, load_words

DEFAULT_AGENTS = ("dictionary", "random")


@dataclass(frozen=True)
class Request:
    """What is asked for: the options of ``evaluate.py`` and the keywords of ``compare``.

    Attributes
    ----------
    agents : sequence of str, optional
        Names; those at hand if not given.
    run : str or Path, optional
        A training run: its policy, its word list and its split; the pretrained one if not given.
    words : str or Path, optional
        A word list; the default list or the run's if not given.
    split : {"test", "valid", "train"}, optional
        Test if not given.
    secrets : str or Path, optional
        Play exactly the words of this file.
    games : int, optional
        Play so many words, drawn by seed; all if not given.
    repeats : int
        Games per word.
    max_wrong : int, optional
        Wrong guesses allowed, 1 to 26; 6 or the run's if not given.
    known : float
        The prior probability, 0 to 1, that the secret is a word that the run was fitted on; at 0
        these words are refused.
    drop_seen, allow_seen : bool
        Leave out known words, or play them in spite of ``known=0``.
    seed : int
        Of random draws.
    """

    agents: Sequence[str] | None = None
    run: str | Path | None = None
    words: str | Path | None = None
    split: str | None = None
    secrets: str | Path | None = None
    games: int | None = None
    repeats: int = 1
    max_wrong: int | None = None
    known: float = DEFAULT_KNOWN
    drop_seen: bool = False
    allow_seen: bool = False
    seed: int = 0


def prepare(
    request: Request,
    say: Callable[[str], None] = lambda line: None,
    custom_agents: dict[str, Agent] | None = None,
) -> Match:
    """Load the words, fit or load the agents.

    Parameters
    ----------
    request : Request
    say : callable
        Called with lines for the user: what words there are, what was left out.
    custom_agents : dict of str to Agent, optional
        They are fitted on the train split too.

    Raises
    ------
    InputError
        If what is asked for cannot be done.
    """
    _check(request)
    names = _agent_names(request)
    check_agent_names(names, "agents")
    learned = [name for name in names if name in LEARNED_AGENTS]
    run = find_run(request.run, names)
    config = Config() if run is None else run.load_config()
    run_words = load_words(config, request.words)
    say(run_words.word_list.describe())
    words, split = _secret_words(request, run_words)
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
        request.repeats,
        request.known,
        known_words,
        fitted_words,
    )


def sample_words(words: Sequence[str], games: int, seed: int) -> tuple[str, ...]:
    """Return so many of the words, drawn by seed, in their order.

    Raises
    ------
    InputError
        If there are fewer.
    """
    if games > len(words):
        raise InputError(f"games: {games:,} is more than the {len(words):,} words there are")
    return tuple(words[index] for index in np.sort(draw_indices(words, games, seed)))


def _check(request: Request) -> None:
    for name in ("games", "repeats", "max_wrong"):
        number = getattr(request, name)
        if number is not None and number < 1:
            raise InputError(f"{name}: {number} is below 1")
    if request.max_wrong is not None and request.max_wrong > NUM_LETTERS:
        raise InputError(
            f"max_wrong: {request.max_wrong} is not in 1..{NUM_LETTERS} "
            f"(default {DEFAULT_MAX_WRONG})"
        )
    if not isinstance(request.known, Real) or not 0 <= request.known <= 1:
        raise InputError(f"known: {request.known!r} is not a probability in 0..1")
    if request.split is not None and request.split not in PARTS:
        raise InputError(f"split: {request.split!r} is not one of {', '.join(PARTS)}")
    if request.split is not None and request.secrets is not None:
        raise InputError("split: cannot be given with secrets, which names the words")


def _agent_names(request: Request) -> Sequence[str]:
    """Return the agents that are asked for, by default those at hand."""
    if request.agents is not None:
        return request.agents
    # The pretrained policy knows words of other lists, so there it has to be asked for.
    has_policy = request.run is not None or request.words is None
    return [*(LEARNED_AGENTS if has_policy else ()), *DEFAULT_AGENTS]


def _secret_words(request: Request, run_words: RunWords) -> tuple[tuple[str, ...], str]:
    """Return the words that are asked for, and the name of what they are."""
    if request.secrets is not None:
        return read_word_list(request.secrets).words, str(request.secrets)
    split = request.split or "test"
    return run_words.part(split), split


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
            "fitted on and known=0 excludes; a higher one allows them, drop_seen leaves them "
            "out, allow_seen plays them anyway"
        )
    say(f"left out: {count:,} known words")
    if count == len(words):
        raise InputError("drop_seen: no word is left to play")
    return tuple(word for word, known in zip(words, is_known, strict=True) if not known)
