"""``evaluate.py`` for the games in which whole words are guessed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.posterior.prior import DEFAULT_KNOWN
from agents.word_guess import WORD_GUESS_AGENTS, make_word_guess_agent
from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.word_guess.answers import AnswerRule
from envs.word_guess.variants import GUESS_THE_WORD, VARIANTS, Variant
from envs.word_guess.words import GuessWords
from envs.words import hash_words, load_word_list, read_word_list
from evaluation.word_guess import DEFAULT_AGENTS, compare_on_list, compare_on_random_lists
from evaluation.word_guess_report import print_comparison, save_plots

DEFAULT_LISTS = 1000
LIST_SIZE = 100
# Options of evaluate.py that mean nothing here, and their values when they are not given.
_HANGMAN_OPTIONS = {
    "run": None,
    "split": None,
    "max_wrong": None,
    "known": DEFAULT_KNOWN,
    "drop_seen": False,
    "allow_seen": False,
    "csv": None,
    "report": None,
    "workers": None,
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that these games alone have."""
    group = parser.add_argument_group("CatsAndDogs-v0 and GuessTheWord-v0")
    group.add_argument(
        "--allowed", metavar="FILE", help="the words that may be guessed (default: the list)"
    )
    group.add_argument("--max-guesses", type=int, metavar="N", help="guesses of a game")
    group.add_argument(
        "--lists",
        type=int,
        metavar="N",
        help=f"GuessTheWord-v0 without --words: play N lists of {LIST_SIZE} words of random "
        f"letters (default: {DEFAULT_LISTS})",
    )


def check_unused(options: argparse.Namespace) -> None:
    """Raise InputError if Hangman is given an option of these games."""
    for name in ("allowed", "max_guesses", "lists"):
        if getattr(options, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')}: is for {' and '.join(VARIANTS)}, not {options.env}"
            )


def evaluate(options: argparse.Namespace, console: Console) -> None:
    """Play, print the tables, and write what was asked for.

    Without ``--words``, Cats and Dogs has the words of four letters of the default list, and Guess
    the Word has lists of random letters. Of a list that is given, the words of four and of six
    letters are used.

    Raises
    ------
    InputError
        If an option does not belong to the game, or its value cannot be used.
    """
    variant = VARIANTS[options.env]
    names = list(options.agents or _default_agents(variant))
    _check(options, variant, names)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as progress:
        bars = {name: progress.add_task(name, total=None) for name in names}

        def advance(name: str, games: int, solved: int) -> None:
            progress.advance(bars[name], games)

        def expect(games: int) -> None:
            for bar in bars.values():
                progress.update(bar, total=games)

        if variant is GUESS_THE_WORD and options.words is None:
            num_lists = DEFAULT_LISTS if options.lists is None else options.lists
            expect(num_lists * LIST_SIZE)
            evaluation = compare_on_random_lists(
                variant,
                names,
                num_lists=num_lists,
                num_words=LIST_SIZE,
                seed=options.seed,
                max_guesses=options.max_guesses,
                progress=advance,
            )
        else:
            words, secrets, source = _load_words(options, variant)
            expect(len(secrets) * options.repeats)
            evaluation = compare_on_list(
                variant,
                names,
                words,
                source=source,
                secrets=secrets,
                seed=options.seed,
                max_guesses=options.max_guesses,
                repeats=options.repeats,
                progress=advance,
            )
    print_comparison(console, evaluation)
    _write(options, console, evaluation)


def _write(options: argparse.Namespace, console: Console, evaluation: dict[str, Any]) -> None:
    try:
        if options.json is not None:
            Path(options.json).write_text(json.dumps(evaluation, indent=2) + "\n", encoding="utf-8")
            console.print(f"figures written to {options.json}", highlight=False)
        if options.plots is not None:
            for path in save_plots(evaluation, options.plots):
                console.print(f"plot written to {path}", highlight=False)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written ({error.strerror})") from error


def _default_agents(variant: Variant) -> tuple[str, ...]:
    """Return the default agents that play by the game's rule."""
    if variant.count_misplaced:
        return DEFAULT_AGENTS
    return tuple(name for name in DEFAULT_AGENTS if name != "filter")


def _check(options: argparse.Namespace, variant: Variant, names: list[str]) -> None:
    for name, default in _HANGMAN_OPTIONS.items():
        if getattr(options, name) != default:
            raise InputError(f"--{name.replace('_', '-')}: is for Hangman-v0, not {options.env}")
    rule = AnswerRule(variant.word_length, variant.count_misplaced)
    for name in names:
        if name not in WORD_GUESS_AGENTS:
            known = ", ".join(WORD_GUESS_AGENTS)
            raise InputError(f"--agents: {name!r} is unknown for {options.env}; known are {known}")
        make_word_guess_agent(name).answers_kept(rule)
    for name in ("lists", "max_guesses"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')}: {value} is below 1")
    plays_random_lists = variant is GUESS_THE_WORD and options.words is None
    if options.lists is not None and not plays_random_lists:
        raise InputError("--lists: is for GuessTheWord-v0 without --words")
    if plays_random_lists:
        for name, default in (
            ("secrets", None),
            ("games", None),
            ("allowed", None),
            ("repeats", 1),
        ):
            if getattr(options, name) != default:
                raise InputError(f"--{name}: needs --words with {options.env}")


def _load_words(
    options: argparse.Namespace, variant: Variant
) -> tuple[GuessWords, tuple[str, ...], str]:
    """Return the words of the game, the secrets that are played, and where the words are from."""
    word_list = load_word_list(options.words)
    allowed = None if options.allowed is None else read_word_list(options.allowed).words
    try:
        words = GuessWords(word_list.words, allowed, variant.word_length)
        secrets = tuple(words.allowed[index] for index in words.secrets)
        if options.secrets is not None:
            asked = read_word_list(options.secrets).words
            secrets = tuple(words.allowed[index] for index in words.encode(asked))
    except ValueError as error:
        raise InputError(f"{word_list.source}: {error}") from error
    if options.games is not None:
        if options.games > len(secrets):
            raise InputError(
                f"--games: {options.games:,} is more than the {len(secrets):,} words there are"
            )
        drawn = np.argsort(keyed_bits(options.seed, hash_words(secrets)))[: options.games]
        secrets = tuple(secrets[index] for index in np.sort(drawn))
    return words, secrets, word_list.source
