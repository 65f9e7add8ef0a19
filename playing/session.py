"""A session of ``play.py``: its words, its agent, and one game after another."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Iterator, Sequence

from agents.posterior.prior import DEFAULT_KNOWN
from envs.hangman.game import Game
from envs.words import load_word_list
from playing.advice import Adviser, check_tells_probabilities
from playing.assist import assist
from playing.solo import play_solo
from playing.terminal import Terminal
from playing.turns import YOU
from playing.versus import play_versus
from playing.watch import watch
from playing.words import divide_words, draw_words, narrow
from runs.agents import check_agent_names, find_run, load_run_agent
from runs.config import Config

_SEED_BITS = 32


def play(options: argparse.Namespace, terminal: Terminal) -> None:
    """Play what the options of the command line ask for, until the person has enough.

    Raises
    ------
    InputError
        If the options cannot be met.
    EOFError
        At the end of the input.
    """
    name, option = _agent_of(options)
    if name is not None:
        check_agent_names([name], option)
        if options.hint or options.assist:
            check_tells_probabilities(name, option)
    run = find_run(options.run, () if name is None else (name,))
    config = Config() if run is None else run.load_config()
    word_list = load_word_list(options.words if options.words is not None else config.words)
    keep_apart = not options.assist and (name is not None or run is not None)
    words = divide_words(word_list, config.split.make(), keep_apart, options.run)
    max_wrong = options.max_wrong or config.env.max_wrong
    seed = secrets.randbits(_SEED_BITS) if options.seed is None else options.seed
    if not options.assist:
        lengths = options.length or (config.env.min_length, config.env.max_length)
        to_guess = narrow(words.to_guess, lengths, options.difficulty)
        which = f"{options.difficulty}, " if options.difficulty is not None else ""
        terminal.print(
            f"{_count(len(to_guess), 'word')} to guess ({which}{words.description}); "
            f"{_count(max_wrong, 'wrong guess loses', 'wrong guesses lose')}"
        )
    adviser = None
    if name is not None:
        known = DEFAULT_KNOWN if options.known is None else options.known
        adviser = Adviser(name, load_run_agent(name, run, words.to_fit, seed, known))
    if options.assist:
        assist(terminal, adviser, word_list, max_wrong)
        return

    def play_one(game: Game, number: int) -> str | None:
        if options.watch is not None:
            return watch(terminal, game, adviser, options.speed, number)
        if options.versus is not None:
            return play_versus(terminal, game, adviser, number)
        return play_solo(terminal, game, adviser)

    players = [YOU] if options.watch is None else []
    if options.watch is not None or options.versus is not None:
        players.append(name)
    games = (Game(secret, max_wrong) for secret in draw_words(to_guess, seed))
    _play_on(terminal, play_one, players, games)


def _agent_of(options: argparse.Namespace) -> tuple[str | None, str]:
    """Return the name of the agent that takes part, and the option that it is from."""
    if options.watch is not None:
        return options.watch, "--watch"
    if options.versus is not None:
        return options.versus, "--versus"
    if options.hint or options.assist:
        default = "ppo" if options.run is not None or options.words is None else "dictionary"
        return options.agent or default, "--agent"
    return None, ""


def _play_on(
    terminal: Terminal,
    play_one: Callable[[Game, int], str | None],
    players: Sequence[str],
    games: Iterator[Game],
) -> None:
    """Play games until the person says no; ``play_one`` returns the winner."""
    wins = dict.fromkeys(players, 0)
    for number, game in enumerate(games, start=1):
        winner = play_one(game, number)
        if winner is not None:
            wins[winner] += 1
        score = ", ".join(f"{player} won {count}" for player, count in wins.items())
        terminal.print(f"{_count(number, 'game')}: {score}")
        if not terminal.ask_yes("Another word?"):
            return


def _count(number: int, one: str, more: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else more or one + 's'}"
