"""Validation during training: curves, networks, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from hangman_lab.agents import make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.agents.ppo.agent import save_network
from hangman_lab.envs.encoding import decode
from hangman_lab.evaluation import arena
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory, write_atomically, write_text
from hangman_lab.run_files.words import draw_words
from hangman_lab.terminal.console import say, stage
from hangman_lab.training.checkpoint import StopRequest, save_checkpoint
from hangman_lab.training.learners.base import Learner
from hangman_lab.training.tensorboard import TrainingLog

_BASELINES = ("random", "dictionary", "ngram")
# The minimal number of training games for a point of their win rate.
_GAMES_PER_POINT = 50

OnValidation = Callable[[int, float, RunDirectory], None]


def play_part(
    config: Config, agent: Agent, words: Sequence[str], part: Sequence[str], **options: Any
) -> pd.DataFrame:
    """Play words of a part by the rules of a config; see :func:`evaluation.arena.play`."""
    return arena.play(agent, words, config.env.rules, host_words=part, **options)


def play_baselines(learner: Learner, progress: Progress) -> dict[str, float]:
    """Return the win rates on valid words of the agents without a policy."""
    config, parts = learner.config, learner.words.parts
    valid = draw_words(parts["valid"], config.validation.games)
    with stage(progress, "compiling", 1, unit=""):
        agents = {name: make_agent(name, config.seed).fit(parts["train"]) for name in _BASELINES}
        agents |= learner.planners()
        for agent in agents.values():
            play_part(config, agent, valid[:1], parts["valid"])
    with stage(progress, "baselines", len(agents) * len(valid)) as advance:
        games = {
            name: play_part(config, agent, valid, parts["valid"], advance=advance)
            for name, agent in agents.items()
        }
    return {name: float(played.won.mean()) for name, played in games.items()}


class ValidationCallback(BaseCallback):
    """Validates, and writes the network and checkpoints between rollouts.

    ``baselines``, the win rates of other agents, are logged with each validation; ``state`` is the
    state of the last checkpoint.
    """

    model: MaskablePPO

    def __init__(
        self,
        learner: Learner,
        log: TrainingLog,
        state: dict[str, Any],
        baselines: dict[str, float],
        stop: StopRequest,
        console: Console,
        advance: Callable[[float], None],
        on_validation: OnValidation | None,
    ) -> None:
        super().__init__()
        self._learner, self._log, self._baselines = learner, log, baselines
        self._stop, self._console = stop, console
        self._advance, self._on_validation = advance, on_validation
        games, parts = learner.config.validation.games, learner.words.parts
        self._valid = draw_words(parts["valid"], games)
        self._known = draw_words(parts["train"], games)
        # Training games since the last point of their curve, and of the whole run.
        self._ended, self._won = state.get("ended", 0), state.get("won", 0)
        self._num_games = state.get("games", 0)
        self._uncovered = set(state.get("uncovered", "").split())
        # The step of the last call of validate; negative before the first.
        self._last_step = state.get("step", -1)

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        self._ended += len(ended)
        self._num_games += len(ended)
        infos = [self.locals["infos"][game] for game in ended]
        words = [decode(info["terminal_observation"]["word"]) for info in infos if info["won"]]
        self._won += len(words)
        self._uncovered.update(words)
        return True

    def _on_rollout_start(self) -> None:
        if self._ended >= _GAMES_PER_POINT:
            rate = self._won / self._ended
            self._log.scalars({"rollout/win_rate": rate}, self.model.num_timesteps)
            self._ended = self._won = 0
        self.validate()

    def validate(self, last: bool = False) -> None:
        """Validate and write a checkpoint if due; call it after the updates of a rollout."""
        start = time.time_ns()
        learner, run, model = self._learner, self._learner.run, self.model
        steps, before = model.num_timesteps, self._last_step
        self._last_step = steps
        every = learner.config.validation.every
        is_due = last or before < 0 or before // every != steps // every
        # A policy learns most at first: also at each doubling of the steps.
        is_due |= steps < every and steps.bit_length() > before.bit_length()
        self._advance(steps - max(before, 0))
        unseen = self._validate(steps) if is_due else None
        if is_due or self._stop.is_made:
            state: dict[str, Any] = {
                "step": steps,
                "curves": self._log.flush(),
                "games": self._num_games,
                "uncovered": "\n".join(sorted(self._uncovered)),
            }
            if last:
                write_text(run.uncovered, state["uncovered"] + "\n")
            else:
                state |= {"ended": self._ended, "won": self._won, "ppo": learner.get_state(model)}
            save_checkpoint(run.checkpoint, "done" if last else "ppo", state)
            if unseen is not None and self._on_validation is not None:
                self._on_validation(steps, unseen, run)
            if not last:
                self._stop.raise_if_requested(run.path)
        # Stable-Baselines3 logs steps per second since this time.
        model.start_time += time.time_ns() - start

    def _validate(self, steps: int) -> float:
        """Play, log, and write the network; return the win rate on valid words."""
        learner, config = self._learner, self._learner.config
        agent, parts = learner.agent(learner.network(self.model)), learner.words.parts
        played = play_part(config, agent, self._valid, parts["valid"])
        unseen = self._log.validation(played, agent, config.env.rules, steps)
        known = float(play_part(config, agent, self._known, parts["train"]).won.mean())
        counts = {"rollout/games": self._num_games, "rollout/uncovered": len(self._uncovered)}
        self._log.scalars({"eval/known_win_rate": known, **counts}, steps)
        self._log.baselines(self._baselines, steps)
        self._log.writer.add_scalar("win_rate_by_games/eval", unseen, self._num_games)
        write_atomically(learner.run.policy, lambda path: save_network(agent.network, path))
        name = config.learner.agents[0].upper()
        rates = f"{unseen:.1%} of unseen and {known:.1%} of known words won"
        say(self._console, f"{name}: {steps:,} steps, {rates}")
        return unseen
