"""The training of a policy: validation, curves, and checkpoints between rollouts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from hangman_lab.agents import make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import decode
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.vector import HangmanVectorEnv
from hangman_lab.evaluation import arena
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory, write_text
from hangman_lab.run_files.words import draw_words
from hangman_lab.terminal.console import say, stage
from hangman_lab.training.checkpoint import StopRequest, get_state, save_checkpoint, set_state
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


def learn(
    learner: Learner,
    log: TrainingLog,
    state: dict[str, Any],
    progress: Progress,
    stop: StopRequest,
    on_validation: OnValidation | None,
) -> int:
    """Train a policy from a state; return the number of steps, which are whole rollouts."""
    options = learner.config.learner
    baselines = play_baselines(learner, progress)
    with stage(progress, "loading", 1, unit=""):
        model = learner.make_model()
    model.set_logger(Logger(folder=None, output_formats=[log]))
    if "ppo" in state:
        try:
            set_state(model, state["ppo"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            text = f"{learner.run.checkpoint}: does not fit the run's config ({error})"
            raise InputError(text) from error
    with stage(progress, options.agents[0].upper(), options.total_steps, "steps") as advance:
        advance(model.num_timesteps)
        callback = ValidationCallback(
            learner, log, state, baselines, stop, progress.console, advance, on_validation
        )
        callback.init_callback(model)
        left = options.steps - model.num_timesteps
        try:
            if left > 0:
                model.learn(left, callback, reset_num_timesteps=False)
        except ValueError as error:
            if all(parameter.isfinite().all() for parameter in model.policy.parameters()):
                raise
            why = "lower learner.learning_rate, or the parameters of the reward"
            raise InputError(f"the weights of the policy became infinite; {why}") from error
        callback.finish()
    return model.num_timesteps


class ValidationCallback(BaseCallback):
    """Validates, and writes the agent and checkpoints between rollouts.

    ``baselines``, the win rates of other agents, are logged with each validation; ``state`` is the
    state of the last checkpoint.
    """

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
        # The step at the start of the last rollout; negative before the first.
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
        start = time.time_ns()
        if self._ended >= _GAMES_PER_POINT:
            rate = self._won / self._ended
            self._log.scalars({"rollout/win_rate": rate}, self.model.num_timesteps)
            self._ended = self._won = 0
        unseen = self._validate() if self._is_due() else None
        if unseen is not None or self._stop.is_made:
            state = get_state(self.model)
            self._save("ppo", unseen, ended=self._ended, won=self._won, ppo=state)
            self._stop.raise_if_requested(self._learner.run.path)
        if share := self._learner.options.missing_share:
            games: HangmanVectorEnv = self.training_env.games  # type: ignore[attr-defined]
            train = self._learner.words.parts["train"]
            games.prefer(set(train).difference(self._uncovered), share)
        # Stable-Baselines3 logs steps per second since this time.
        self.model.start_time += time.time_ns() - start

    def finish(self) -> None:
        """Validate and write the last checkpoint, after the updates of the last rollout."""
        self._is_due()
        unseen = self._validate()
        write_text(self._learner.run.uncovered, "\n".join(sorted(self._uncovered)) + "\n")
        self._save("done", unseen)

    def _is_due(self) -> bool:
        """Return whether there is a validation at this step, and advance the progress to it."""
        steps, before = self.model.num_timesteps, self._last_step
        self._last_step = steps
        self._advance(steps - max(before, 0))
        every = self._learner.config.validation.every
        # A policy learns most at first: also at each doubling of the steps.
        doubled = steps < every and steps.bit_length() > before.bit_length()
        return before < 0 or before // every != steps // every or doubled

    def _save(self, phase: str, unseen: float | None, **state: Any) -> None:
        """Write a checkpoint after the curves up to it, and report a validation."""
        common = {
            "step": self.model.num_timesteps,
            "curves": self._log.flush(),
            "games": self._num_games,
            "uncovered": "\n".join(sorted(self._uncovered)),
        }
        save_checkpoint(self._learner.run.checkpoint, phase, common | state)
        if unseen is not None and self._on_validation is not None:
            self._on_validation(self.model.num_timesteps, unseen, self._learner.run)

    def _validate(self) -> float:
        """Play, log, and write the agent; return the win rate on valid words."""
        learner, config, steps = self._learner, self._learner.config, self.model.num_timesteps
        agent, parts = learner.agent(self.model), learner.words.parts
        played = play_part(config, agent, self._valid, parts["valid"])
        unseen = self._log.validation(played, agent, config.env.rules, steps)
        known = float(play_part(config, agent, self._known, parts["train"]).won.mean())
        counts = {"rollout/games": self._num_games, "rollout/uncovered": len(self._uncovered)}
        self._log.scalars({"eval/known_win_rate": known, **counts}, steps)
        self._log.baselines(self._baselines, steps)
        self._log.writer.add_scalar("win_rate_by_games/eval", unseen, self._num_games)
        learner.run.save_agent(agent)
        name = config.learner.agents[0].upper()
        rates = f"{unseen:.1%} of unseen and {known:.1%} of known words won"
        say(self._console, f"{name}: {steps:,} steps, {rates}")
        return unseen
