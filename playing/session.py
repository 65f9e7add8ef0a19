"""A session of ``play.py``: words, agent and a sequence of games."""

from __future__ import annotations

import argparse
import itertools
import secrets
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.prompt import Confirm

from hangman_lab.agents import AGENTS, Agent, PosteriorAgent
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.hosts import make_game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.word_sets import index_words
from hangman_lab.envs.words import (
    COMMON_SOURCE,
    DEFAULT_SOURCE,
    default_common,
    default_known,
    hash_words,
    word_count,
)
from hangman_lab.playing.advice import Adviser, assist
from hangman_lab.playing.modes import YOU, play_solo, play_versus, watch
from hangman_lab.run_files.agents import check_agent_names, check_prior, find_run, load_run_agent
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords, load_words

_SEED_BITS = 32


def play(options: argparse.Namespace, console: Console) -> None:
    """Play by the options of the command line, until the player stops."""
    own = find_run(options.run, ())
    name, option = _agent_of(options, own)
    if name is not None:
        check_agent_names([name], option, own)
        check_prior(name, options.known, options.common)
    # A person knows these words; a game played elsewhere can have any word.
    default = COMMON_SOURCE if options.run is None and not options.assist else None
    run = own or find_run(None, () if name is None else (name,))
    config = Config() if run is None else run.load_config()
    with console.status("loading words"):
        run_words = load_words(config, default if options.words is None else options.words)
    if options.words is not None:
        console.print(run_words.word_list.describe())
    shows_letters = options.hint or options.watch or options.versus
    keep_apart = not options.assist and bool(shows_letters or own)
    to_guess, to_fit, source = _divide(run_words, keep_apart, options.run is not None)
    rules = config.env.rules.with_options(options)
    if options.versus or options.assist:  # two play the same word; a game elsewhere has one
        rules = replace(rules, host="random")
    seed = secrets.randbits(_SEED_BITS) if options.seed is None else options.seed
    adviser: Any = None  # set for every mode that uses it
    if name is not None:
        common = options.common
        if common is None:  # agents that are fitted on the list take its words as equally likely
            source_of_list = run_words.word_list.source
            common = 0.0 if name in AGENTS else default_common(source_of_list, options.assist)
        known = default_known(common) if options.known is None else options.known
        with console.status(f"loading {name}"):
            agent = load_run_agent(name, run, to_fit, seed, known, common)
        uses_letters = options.hint or options.assist or options.review
        if uses_letters and not isinstance(agent, PosteriorAgent):
            raise InputError(f"{option}: {name} has no letter probabilities")
        is_reviewed = not (options.watch or options.assist)
        adviser = Adviser(
            name, agent, index_words(run_words.word_list.words) if is_reviewed else None
        )
        with console.status(f"compiling {name}"):
            game = Game(to_guess[0], rules)
            while not game.over:
                game.guess(adviser.choose(game.observations))
            adviser.review(Console(quiet=True), game, with_table=True)
    if options.assist:
        assist(console, adviser, to_guess, source, rules)
        return
    console.print(f"{word_count(len(to_guess))} to guess ({source}), {rules.describe()}")
    if name is not None:
        if run is not None and name not in AGENTS:
            fitted = run.load_fitted_words()
        else:  # an agent that does not override `fit` learns nothing from words
            fitted = hash_words(to_fit if type(adviser.agent).fit is not Agent.fit else ())
        count = np.isin(hash_words(to_guess), fitted).sum()
        has_prior = isinstance(getattr(adviser.agent, "posterior", adviser.agent), LetterPosterior)
        also = ", and lists the words that people choose" if common and has_prior else ""
        number = f"{count:,}" if count else "none"
        console.print(f"{name} was fitted on {number} of these words{also}")
    _play_games(options, console, adviser, to_guess, rules, seed)


def _play_games(
    options: argparse.Namespace,
    console: Console,
    adviser: Any,
    words: tuple[str, ...],
    rules: Rules,
    seed: int,
) -> None:
    """Play game after game, and print the score, until the player stops."""
    wins = {options.watch or YOU: 0}
    if options.versus is not None:
        wins[options.versus] = 0
    listed = SecretWords(words)
    order = np.argsort(keyed_bits(seed, np.arange(len(words))), kind="stable")
    for number, index in enumerate(itertools.cycle(order), start=1):
        game = make_game(rules, listed, words[index])
        if options.watch is not None:
            winner = watch(console, game, adviser, options.speed, number)
        elif options.versus is not None:
            winner = play_versus(console, game, adviser, number)
        else:
            winner = play_solo(console, game, adviser if options.hint else None)
        if adviser is not None:
            adviser.review(console, game, options.review)
        if winner is not None:
            wins[winner] += 1
        score = ", ".join(f"{player} won {count}" for player, count in wins.items())
        console.print(f"games: {number:,}; {score}")
        if not Confirm.ask("Another word?", console=console, default=True):
            return


def _divide(
    words: RunWords, keep_apart: bool, has_run: bool
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the words to guess, the words to fit agents on, and a description of the former.

    With ``keep_apart`` they are disjoint, the test and the train split; a list that is too short to
    be split is used whole, except with a run, for which that is an InputError.
    """
    whole, source = words.word_list.words, words.word_list.source
    if not keep_apart:
        return whole, whole, source
    if has_run:
        return words.part("test"), words.part("train"), f"test split of {source}"
    parts, note = words.parts_or_whole()
    return parts["test"], parts["train"], f"{source}{note}" if note else f"test split of {source}"


def _agent_of(options: argparse.Namespace, run: RunDirectory | None) -> tuple[str | None, str]:
    """Return the name of the agent and the option that names it."""
    if options.watch is not None:
        return options.watch, "--watch"
    if options.versus is not None:
        return options.versus, "--versus"
    if options.hint or options.assist or options.review:
        known = options.words in (None, DEFAULT_SOURCE) or (
            not options.assist and options.words == COMMON_SOURCE
        )
        policy = "ppo" if run is None else run.load_config().learner.agents[0]
        default = policy if run is not None or known else "dictionary"
        return options.agent or default, "--agent"
    return None, ""
