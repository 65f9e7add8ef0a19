"""``evaluate.py`` for the games in which whole words are guessed."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from rich.console import Console

from agents.word_guess import WORD_GUESS_AGENTS, make_word_guess_agent
from envs.errors import InputError
from envs.word_guess.answers import AnswerRule
from envs.word_guess.variants import GUESS_THE_WORD, VARIANTS, Variant
from envs.word_guess.words import GuessWords
from envs.words import load_word_list, read_word_list
from evaluation.arguments import Refuse, positive
from evaluation.console import say
from evaluation.plots import save_plots
from evaluation.preparation import sample_words
from evaluation.progress import GamesProgress
from evaluation.word_guess.comparison import WordGuessMatch, compare_agents, random_lists
from evaluation.word_guess.report import draw_plots, print_comparison
from runs.directory import write_text

DEFAULT_AGENTS = ("filter", "minimax", "entropy", "random-consistent")
DEFAULT_LISTS = 1000
LIST_SIZE = 100
# Options that these games alone have, those that Hangman alone has, and those of lists of words.
_OPTIONS = ("allowed", "max_guesses", "lists")
_HANGMAN_OPTIONS = (
    "run",
    "split",
    "max_wrong",
    "known",
    "drop_seen",
    "allow_seen",
    "csv",
    "report",
    "workers",
)
_LIST_OPTIONS = ("secrets", "games", "allowed", "repeats")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that these games alone have."""
    group = parser.add_argument_group("CatsAndDogs-v0 and GuessTheWord-v0")
    group.add_argument(
        "--allowed", metavar="FILE", help="the words that may be guessed (default: the list)"
    )
    group.add_argument("--max-guesses", type=positive, metavar="N", help="guesses per game")
    group.add_argument(
        "--lists",
        type=positive,
        metavar="N",
        help=f"GuessTheWord-v0 without --words: play N lists of {LIST_SIZE} words of random "
        f"letters (default: {DEFAULT_LISTS})",
    )


def check(options: argparse.Namespace, refuse: Refuse) -> None:
    """Refuse options that do not go with the game that is played; it raises InputError."""
    if options.env not in VARIANTS:
        refuse(_OPTIONS, f"is for {' and '.join(VARIANTS)}, not {options.env}")
        return
    refuse(_HANGMAN_OPTIONS, f"is for Hangman-v0, not {options.env}")
    if _plays_random_lists(options):
        refuse(_LIST_OPTIONS, f"needs --words with {options.env}")
    else:
        refuse(("lists",), f"is for {GUESS_THE_WORD.env_id} without --words")


def evaluate(options: argparse.Namespace, console: Console) -> None:
    """Play, print the tables, and write what was asked for.

    Without ``--words``, Cats and Dogs has the words of four letters of the default list, and Guess
    the Word has lists of random letters. Of a list that is given, the words of four and of six
    letters are used.

    Raises
    ------
    InputError
        If the value of an option cannot be used.
    """
    tell = partial(say, console)
    variant = VARIANTS[options.env]
    names = _agent_names(options, variant)
    if _plays_random_lists(options):
        num_lists = DEFAULT_LISTS if options.lists is None else options.lists
        match = random_lists(variant, num_lists, LIST_SIZE, options.seed, options.max_guesses)
    else:
        match = _listed_words(options, variant)
    with GamesProgress(console, names, match.num_games) as progress:
        evaluation = compare_agents(match, names, progress.count)
    print_comparison(console, evaluation)
    if options.json is not None:
        write_text(Path(options.json), json.dumps(evaluation, indent=2) + "\n")
        tell(f"figures written to {options.json}")
    if options.plots is not None:
        files = save_plots(draw_plots(evaluation), options.plots)
        tell(f"{len(files)} plots written to {options.plots}")


def _plays_random_lists(options: argparse.Namespace) -> bool:
    return options.env == GUESS_THE_WORD.env_id and options.words is None


def _agent_names(options: argparse.Namespace, variant: Variant) -> list[str]:
    """Return the agents that are asked for, by default those that play by the game's rule."""
    names = options.agents
    if names is None:
        names = [name for name in DEFAULT_AGENTS if variant.count_misplaced or name != "filter"]
    rule = AnswerRule(variant.word_length, variant.count_misplaced)
    for name in names:
        if name not in WORD_GUESS_AGENTS:
            known = ", ".join(WORD_GUESS_AGENTS)
            raise InputError(f"agents: {name!r} is unknown for {options.env}; known are {known}")
        # An agent that does not play by the rule says so.
        make_word_guess_agent(name).answers_kept(rule)
    return names


def _listed_words(options: argparse.Namespace, variant: Variant) -> WordGuessMatch:
    word_list = load_word_list(options.words)
    allowed = None if options.allowed is None else read_word_list(options.allowed).words
    try:
        words = GuessWords(word_list.words, allowed, variant.word_length)
        secrets = words.secrets
        if options.secrets is not None:
            secrets = words.encode(read_word_list(options.secrets).words)
    except ValueError as error:
        raise InputError(f"{word_list.source}: {error}") from error
    played = tuple(words.allowed[index] for index in secrets)
    if options.games is not None:
        played = sample_words(played, options.games, options.seed)
    return WordGuessMatch(
        variant,
        (words,),
        (played,),
        word_list.source,
        options.seed,
        options.max_guesses,
        options.repeats,
    )
