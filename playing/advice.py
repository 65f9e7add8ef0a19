"""Advice on a game: the letter that an agent would guess, and how likely letters are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents import AGENTS, Agent, PosteriorAgent, make_agent
from envs.encoding import ALPHABET
from envs.errors import InputError
from envs.hangman.observation import Observation
from playing.drawing import draw_bars
from playing.terminal import Terminal
from runs.agents import LEARNED_AGENTS


@dataclass(frozen=True)
class Adviser:
    """An agent with the name by which the person knows it.

    Attributes
    ----------
    name : str
    agent : Agent
        Ready to play.
    """

    name: str
    agent: Agent

    def choose(self, observations: Observation, game: int = 0) -> int:
        """Return the letter, 0 to 25, that the agent guesses in a batch of one game.

        Parameters
        ----------
        observations : Observation
        game : int
            What tells games apart, for agents that draw at random.
        """
        return int(self.agent.act(observations, np.array([game], dtype=np.uint64))[0])

    def likeliest(self, observations: Observation, count: int) -> list[tuple[int, float]]:
        """Return up to ``count`` letters and their probabilities, the highest first.

        Letters that cannot be in the hidden part are left out; without an agent that can tell
        probabilities, there is none.
        """
        if not isinstance(self.agent, PosteriorAgent):
            return []
        return rank_letters(self.agent.letter_probabilities(observations)[0], count)

    def show(
        self, terminal: Terminal, observations: Observation, count: int, game: int = 0
    ) -> None:
        """Draw the likeliest letters as bars, with the one marked that the agent would guess."""
        letters = self.likeliest(observations, count)
        chosen = self.choose(observations, game)
        if not letters:
            return
        title = f"{self.name}: the likeliest letters; it would guess {ALPHABET[chosen]}"
        bars = draw_bars(letters, chosen, terminal.width, terminal.ascii_only)
        terminal.print_lines([title, *bars], "cyan")


def rank_letters(probabilities: npt.NDArray[np.float64], count: int) -> list[tuple[int, float]]:
    """Return up to ``count`` letters with a probability above 0, the highest first.

    Parameters
    ----------
    probabilities : ndarray of float64, shape (26,)

    Returns
    -------
    list of (int, float)
        The letter, 0 to 25, and its probability; the alphabet decides among equals.
    """
    order = np.argsort(-probabilities, kind="stable")[:count].tolist()
    return [(letter, float(probabilities[letter])) for letter in order if probabilities[letter] > 0]


def check_tells_probabilities(name: str, option: str) -> None:
    """Refuse an agent that cannot tell how likely letters are.

    Raises
    ------
    InputError
        If the agent of that name is no ``PosteriorAgent``.
    """
    if name in LEARNED_AGENTS or isinstance(make_agent(name), PosteriorAgent):
        return
    able = [known for known in AGENTS if isinstance(make_agent(known), PosteriorAgent)]
    raise InputError(
        f"{option}: {name} cannot tell how likely letters are; "
        f"{', '.join([*LEARNED_AGENTS, *able])} can"
    )
