"""What is done between PPO's rollouts: validation, choosing the best network, checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.posterior.posterior import LetterPosterior, UniformPosterior
from agents.ppo.agent import PPOAgent, save_network
from evaluation.arena import play
from runs.directory import write_atomically
from runs.words import draw_words
from training.ppo import get_state

if TYPE_CHECKING:
    from training.run import TrainingRun


class BetweenRollouts(BaseCallback):
    """Validates, selects the best network, and saves, at the boundaries between rollouts.

    Parameters
    ----------
    training : TrainingRun
    learner : MaskablePPO
    posterior : LetterPosterior or UniformPosterior
        What the policy is validated with.
    best : float
        The win rate of the network that is kept; below 0 if none is.
    """

    def __init__(
        self,
        training: TrainingRun,
        learner: MaskablePPO,
        posterior: LetterPosterior | UniformPosterior,
        best: float,
    ) -> None:
        super().__init__()
        self._training = training
        self._learner = learner
        self._agent = PPOAgent(posterior, learner.policy.network)
        self._best = best
        games = training.config.validation.games
        self._valid, self._known = (
            draw_words(training.parts[part], games) for part in ("valid", "train")
        )
        # Training games since the last rollout began.
        self._ended = self._won = 0
        self._last = learner.num_timesteps if best >= 0 else -1

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        self._ended += len(ended)
        self._won += sum(self.locals["infos"][game]["won"] for game in ended)
        return True

    def _on_rollout_start(self) -> None:
        if self._ended:
            self._training.log.scalars(
                {"rollout/win_rate": self._won / self._ended}, self._learner.num_timesteps
            )
            self._ended = self._won = 0
        self.at_boundary()

    def at_boundary(self, last: bool = False) -> None:
        """Do what is due now that a rollout's updates are done."""
        training, config = self._training, self._training.config
        steps = self._learner.num_timesteps
        note = None
        if last or self._last < 0 or _passes(self._last, steps, config.validation.every):
            note = self._validate(steps)
        training.progress.update("PPO", steps, note)
        due = last or _passes(max(self._last, 0), steps, config.checkpoint_every)
        self._last = steps
        if training.stop.is_made or due:
            state: dict[str, Any] = {"step": steps, "best": self._best}
            if last:
                training.save("done", state)
                return
            state["ppo"] = get_state(self._learner)
            training.save("ppo", state)
            training.stop.heed(training.run.path)

    def _validate(self, steps: int) -> str:
        """Play, log, and keep the network if it is the best; return the win rates as a text."""
        training = self._training
        max_wrong, known = training.config.env.max_wrong, training.config.ppo.known
        unseen = training.log.validation(
            play(self._agent, self._valid, max_wrong), self._agent, steps
        )
        fitted = float(play(self._agent, self._known, max_wrong).won.mean())
        training.log.scalars({"valid/known_win_rate": fitted}, steps)
        training.report(steps, unseen)
        # The policy is chosen for the games that it is trained for.
        rate = known * fitted + (1 - known) * unseen
        if rate > self._best:
            self._best = rate
            network = self._learner.policy.network
            write_atomically(training.run.policy, lambda path: save_network(network, path))
        return f"unseen {unseen:.1%}, known {fitted:.1%}"


def _passes(before: int, after: int, every: int) -> bool:
    """Return whether a multiple of ``every`` lies in (before, after]."""
    return before // every != after // every
