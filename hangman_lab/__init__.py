"""Reinforcement learning for guessing hidden words.

Importing the package registers the environments ``hangman_lab/Hangman-v0``,
``hangman_lab/TextHangman-v0``, ``hangman_lab/CatsAndDogs-v0`` and ``hangman_lab/GuessTheWord-v0``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout, the packages are the folders beside this one. The links here are for tools that
# follow imports without running them.
if (_checkout := Path(__file__).resolve().parent.parent).joinpath("run_files").is_dir():
    __path__ = [str(_checkout)]

import hangman_lab.envs  # noqa: F401 - registers the environments
from hangman_lab.terminal.arguments import installation

if TYPE_CHECKING:
    from hangman_lab.agents.base import Agent

__all__ = ["load_agent", "load_pretrained", "load_run"]

# The package of each command, and the extra that it needs.
_COMMANDS = {
    "train": ("training", "train"),
    "evaluate": ("evaluation", "agents"),
    "play": ("playing", "agents"),
    "serve": ("server", "server"),
    "sweep": ("sweeps", "cluster"),
}


def __getattr__(name: str) -> Any:
    # Packages that load slowly, as in hangman_lab.evaluation.compare.
    if name not in ("agents", "evaluation"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _needs("agents"):
        return import_module(f"{__name__}.{name}")


def load_agent(name: str, seed: int = 0) -> Agent:
    """Return an agent that is ready to play the default word list.

    Parameters
    ----------
    name : str
        ``"ppo"``, ``"look-ahead"`` and ``"posterior"`` are those of the pretrained run; any other
        agent is fitted to the train split.
    seed : int
        Seed of agents that draw letters at random.

    Raises
    ------
    InputError
        If no agent has that name.
    """
    with _needs("agents"):
        from hangman_lab.envs.errors import check_integer
        from hangman_lab.run_files.agents import check_agent_names, find_run, load_run_agent
        from hangman_lab.run_files.config import Config
        from hangman_lab.run_files.words import load_words

        check_agent_names((name,), "name")
        check_integer("seed", seed, 0, 2**63 - 1)
        run = find_run(None, (name,))
        words = load_words(Config()).part("train") if run is None else ()
        return load_run_agent(name, run, words, seed)


def load_pretrained(agent: str = "ppo", known: float | None = None, common: float = 0.0) -> Agent:
    """Return an agent of the pretrained run; see :func:`load_run`."""
    with _needs("agents"):
        from hangman_lab.run_files.directory import PRETRAINED

        return load_run(PRETRAINED, agent, known, common)


def load_run(
    path: str | Path,
    agent: str | None = None,
    known: float | None = None,
    common: float = 0.0,
) -> Agent:
    """Return an agent of a training run.

    Parameters
    ----------
    path : str or Path
        The folder of the run.
    agent : str, optional
        ``"ppo"``, ``"look-ahead"`` or ``"posterior"``; by default the run's policy.
    known : float, optional
        The prior probability, 0 to 1, that the secret is one of the run's train words; by default
        ``DEFAULT_KNOWN`` of ``envs.words``.
    common : float, default 0
        The probability, 0 to 1, that such a word was chosen as people choose words. Above 0, all
        common English words count as train words.

    Raises
    ------
    InputError
        If the folder is not that of a run, or has no such agent.
    """
    with _needs("agents"):
        from hangman_lab.envs.words import DEFAULT_KNOWN
        from hangman_lab.run_files.agents import load_run_agent
        from hangman_lab.run_files.directory import RunDirectory

        run = RunDirectory.open(path)
        name = run.load_config().learner.agents[0] if agent is None else str(agent)
        known = DEFAULT_KNOWN if known is None else known
        return load_run_agent(name, run, (), known=known, common=common)


def main() -> int:
    """Run the command that the process was started as: ``train.py``, or ``hangman-train``."""
    program = Path(sys.argv[0])
    if (command := program.stem.removeprefix("hangman-")) not in _COMMANDS:
        sys.exit(f"{program.name}: error: not a command; there are {', '.join(_COMMANDS)}")
    package, extra = _COMMANDS[command]
    try:
        with _needs(extra):
            from rich.console import Console

            with Console(stderr=True).status("loading packages"):
                command_line = import_module(f"hangman_lab.{package}.command_line")
            return command_line.main()
    except ModuleNotFoundError as error:
        sys.exit(f"{program.name}: error: {error}")
    except KeyboardInterrupt:  # while packages load; each command ends itself
        print(f"{program.name}: stopped", file=sys.stderr)
        return 130


@contextmanager
def _needs(extra: str) -> Iterator[None]:
    """Tell in a ModuleNotFoundError which extra has the missing package."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the packages of the extra {extra!r} are not installed ({error.name} is missing); "
            f"install with: {installation(extra)}",
            name=error.name,
        ) from error
