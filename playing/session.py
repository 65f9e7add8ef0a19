"""A session of ``play.py``: words, agent and a sequence of games."""

from __future__ import annotations

import argparse
import secrets
from typing import Any

from rich.console import Console

from hangman_lab.agents import AGENTS, PosteriorAgent, make_agent
from hangman_lab.agents.posterior.prior import DEFAULT_KNOWN
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.words import COMMON_SOURCE
from hangman_lab.playing.advice import Adviser, assist
from hangman_lab.playing.modes import YOU, play_solo, play_versus, watch
from hangman_lab.playing.screen import ask_yes
from hangman_lab.playing.words import divide_words, draw_words, narrow, weigh_words
from hangman_lab.run_files.agents import LEARNED_AGENTS, check_agent_names, find_run, load_run_agent
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words

_SEED_BITS = 32
# An agent that counts a word as often as it is listed, which weighs words.
_WEIGHING = "dictionary"


def play(options: argparse.Namespace, console: Console) -> None:
    """Play by the options of the command line, until the player stops."""
    name, option = _agent_of(options)
    if name is not None:
        check_agent_names([name], option)
        if options.hint or options.assist:
            _check_tells_probabilities(name)
    weighs = options.assist and options.words == COMMON_SOURCE
    if weighs and name != _WEIGHING:
        raise InputError(f"--agent: --assist weighs common words for {_WEIGHING}, not for {name}")
    run = find_run(options.run, () if name is None else (name,))
    config = Config() if run is None else run.load_config()
    run_words = load_words(config, None if weighs else options.words)
    keep_apart = not options.assist and (name is not None or run is not None)
    words = divide_words(run_words, keep_apart, options.run is not None)
    if weighs:
        words = weigh_words(words)
    max_wrong = options.max_wrong or config.env.max_wrong
    seed = secrets.randbits(_SEED_BITS) if options.seed is None else options.seed
    if not options.assist:
        to_guess = narrow(words.to_guess, options.length or run_words.lengths, options.difficulty)
        which = f"{options.difficulty}, " if options.difficulty is not None else ""
        console.print(
            f"{_count(len(to_guess), 'word')} to guess ({which}{words.description}); "
            f"{_count(max_wrong, 'wrong guess loses', 'wrong guesses lose')}"
        )
    adviser: Any = None  # where a mode needs one, it is there
    if name is not None:
        known = DEFAULT_KNOWN if options.known is None else options.known
        agent = load_run_agent(name, run, words.to_fit, seed, known)
        if (options.hint or options.assist) and not isinstance(agent, PosteriorAgent):
            raise InputError(f"{option}: {name} has no letter probabilities")
        adviser = Adviser(name, agent)
    if options.assist:
        assist(console, adviser, words, max_wrong, weighs)
        return

    def play_word(secret: str, number: int) -> str | None:
        game = Game(secret, max_wrong)
        if options.watch is not None:
            return watch(console, game, adviser, options.speed, number)
        if options.versus is not None:
            return play_versus(console, game, adviser, number)
        return play_solo(console, game, adviser)

    players = [] if options.watch is not None else [YOU]
    players += [player for player in (options.watch, options.versus) if player is not None]
    wins = dict.fromkeys(players, 0)
    for number, secret in enumerate(draw_words(to_guess, seed), start=1):
        winner = play_word(secret, number)
        if winner is not None:
            wins[winner] += 1
        score = ", ".join(f"{player} won {count}" for player, count in wins.items())
        console.print(f"{_count(number, 'game')}: {score}")
        if not ask_yes(console, "Another word?"):
            return


def _agent_of(options: argparse.Namespace) -> tuple[str | None, str]:
    """Return the name of the agent and the option that names it."""
    if options.watch is not None:
        return options.watch, "--watch"
    if options.versus is not None:
        return options.versus, "--versus"
    if options.hint or options.assist:
        known = options.words is None or (options.hint and options.words == COMMON_SOURCE)
        default = "ppo" if options.run is not None or known else "dictionary"
        return options.agent or default, "--agent"
    return None, ""


def _check_tells_probabilities(name: str) -> None:
    able = [*LEARNED_AGENTS, *(a for a in AGENTS if isinstance(make_agent(a), PosteriorAgent))]
    if name not in able:
        raise InputError(f"--agent: {name} has no letter probabilities; {', '.join(able)} have")


def _count(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
