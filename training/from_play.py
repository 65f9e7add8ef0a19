"""Learning from play: games that uncover words."""

from __future__ import annotations

from typing import Any

import numpy as np

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.encoding import decode
from hangman_lab.envs.hangman.env import HangmanVectorEnv


class Play:
    """Plays games in an environment and collects the words that they uncover.

    Words are learned from observations only: a won game ends with the whole word shown. Only
    ``reset`` and ``step`` of the environment are used and, for checkpoints, ``get_state``,
    ``set_state`` and ``observe``; it has ``AutoresetMode.SAME_STEP``. ``state`` is from
    :meth:`get_state`, or just its ``words``, ``num_fitted`` (the agent is fitted on that many of
    the words) and ``games`` (finished so far).
    """

    def __init__(self, env: HangmanVectorEnv, state: dict[str, Any], seed: int = 0) -> None:
        self._env, self._seed = env, seed
        self._observations, _ = env.reset(seed=seed)
        if "env" in state:
            env.set_state(state["env"])
            self._observations = env.observe()
        self._rank = {word: rank for rank, word in enumerate(state["words"].split())}
        self.num_fitted, self.games = state["num_fitted"], state["games"]

    @property
    def words(self) -> list[str]:
        """The uncovered words in order of discovery."""
        return list(self._rank)

    @property
    def growth(self) -> float:
        """The number of words that are not fitted yet, relative to the fitted ones."""
        return len(self._rank) / self.num_fitted - 1 if self.num_fitted else float("inf")

    def play(self, agent: PosteriorAgent, num_games: int) -> tuple[float, float]:
        """Play until ``num_games`` more games have ended.

        Letters are sampled in proportion to their squared odds, so that a lost word is played
        differently the next time. Returns the win rate, and the share of games that uncovered a
        fitted word.
        """
        generator = np.random.default_rng([self._seed, self.games])
        ended = won = with_fitted = 0
        while ended < num_games:
            chances = agent.letter_probabilities(self._observations).clip(1e-6, 1 - 1e-6)
            scores = 2 * np.log(chances / (1 - chances)) + generator.gumbel(size=chances.shape)
            scores[self._observations["guessed"] != 0] = -np.inf
            actions = scores.argmax(axis=1)
            self._observations, _, terminated, _, infos = self._env.step(actions)
            if not terminated.any():
                continue
            ended += int(terminated.sum())
            for game in np.flatnonzero(terminated & infos["final_info"]["won"]):
                won += 1
                word = decode(infos["final_obs"][game]["word"])
                with_fitted += self._rank.setdefault(word, len(self._rank)) < self.num_fitted
        self.games += ended
        return won / ended, with_fitted / ended

    def get_state(self) -> dict[str, Any]:
        """Return the state for checkpoints."""
        return {
            "env": self._env.get_state(),
            "words": "\n".join(self._rank),
            "num_fitted": self.num_fitted,
            "games": self.games,
        }
