"""PPO on the letter posterior of the train words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from rich.progress import Progress
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent, load_posterior
from hangman_lab.agents.ppo.agent import NetworkAgent, make_policy_agent
from hangman_lab.agents.ppo.network import (
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
    Network,
    policy_features,
)
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv, SB3VecEnv
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.config import Config, OnPosteriorConfig
from hangman_lab.terminal.console import say, stage
from hangman_lab.training.checkpoint import StopRequest
from hangman_lab.training.learners.base import FinalTable
from hangman_lab.training.learners.ppo import PPOLearner, make_env, make_ppo
from hangman_lab.training.networks import PolicyModule
from hangman_lab.training.posterior import fit_posterior, hold_back


class PosteriorLearner(PPOLearner):
    """Fits the posterior, and trains a policy network on its features."""

    posterior: LetterPosterior

    @property
    def options(self) -> OnPosteriorConfig:
        """The options of the learner."""
        return cast(OnPosteriorConfig, self.config.learner)

    def fit(self, state: dict[str, Any], progress: Progress, stop: StopRequest) -> dict[str, Any]:
        """Fit and write the posterior of the train words, and that without the held-back words."""
        self._fit_posterior(self.words.parts["train"], progress, stop)
        return {}

    def _fit_posterior(self, words: Sequence[str], progress: Progress, stop: StopRequest) -> None:
        def report(text: str) -> None:
            stop.raise_if_requested(self.run.path)
            say(progress.console, f"posterior: {text}")

        with stage(progress, "posterior"):
            fit_posterior(words, self.config.seed, report).save(self.run)

    def load(self) -> None:
        """Load the posterior."""
        self.posterior = load_posterior(self.run.posterior)
        self._by_known: dict[float, LetterPosterior] = {}

    def _with_known(self, known: float) -> LetterPosterior:
        """Return the posterior for a prior of known words, whose beliefs all agents share."""
        return self._by_known.setdefault(known, self.posterior.with_known(known))

    def make_model(self) -> MaskablePPO:
        """Return a new model."""
        posterior = load_posterior(self.run.held_back_posterior)
        env = make_posterior_env(self.config, posterior, *hold_back(self.words.parts["train"]))
        module = partial(PolicyModule, look_ahead_lives=self.options.look_ahead_lives)
        return make_ppo(MaskablePPO, self.config, env, {"module": module})

    def agent(self, network: Network, known: float | None = None) -> NetworkAgent:
        """Return the agent that plays a network on the posterior."""
        known = self.options.known if known is None else known
        return make_policy_agent(network, self._with_known(known))

    @property
    def final_tables(self) -> list[FinalTable]:
        """Unseen words, known words, and unseen words with ``known`` 0."""
        part = self.config.final_split
        return [
            FinalTable("unseen", part, DEFAULT_KNOWN),
            FinalTable("known", "train", DEFAULT_KNOWN),
            FinalTable("excluded", part, 0.0),
        ]

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the policy, the look-ahead and the posterior with a prior of known words."""
        posterior = self._with_known(cast(float, known))
        agents = super().final_agents(known)
        agents["look-ahead"] = LookAheadAgent(posterior, self.options.look_ahead_lives)
        agents["posterior"] = posterior
        return {name: agents[name] for name in self.options.agents}


class PosteriorVecEnv(SB3VecEnv):
    """Combines environments with different words into one that observes ``policy_features``.

    The features are computed once per step instead of once per epoch of PPO.
    """

    def __init__(
        self, envs: list[HangmanVecEnv], posterior: LetterPosterior, look_ahead_lives: int
    ) -> None:
        self._attributes = {"render_mode": None}
        self._methods = {"action_masks": lambda games: list(self.action_masks()[list(games)])}
        self.posterior = posterior
        self._look_ahead_lives = look_ahead_lives
        self._envs = envs
        self._first = np.cumsum([0, *(env.num_envs for env in envs)])
        features: dict[str, spaces.Space[Any]] = {
            "letters": spaces.Box(-np.inf, np.inf, (NUM_LETTERS, NUM_LETTER_FEATURES)),
            "state": spaces.Box(-np.inf, np.inf, (NUM_STATE_FEATURES,)),
        }
        super().__init__(int(self._first[-1]), spaces.Dict(features), spaces.Discrete(NUM_LETTERS))

    def reset(self) -> dict[str, npt.NDArray[np.float32]]:
        """Start new games, with the seeds set by ``seed``."""
        for env, first in zip(self._envs, self._first, strict=False):
            env._seeds = self._seeds[first : first + env.num_envs]
        self._reset_seeds()
        return self._features([env.reset() for env in self._envs])

    def _features(self, parts: list[Any]) -> dict[str, npt.NDArray[np.float32]]:
        """Return the features of the observations of the environments."""
        words = [
            np.pad(part["word"], ((0, 0), (0, MAX_LENGTH - part["word"].shape[1])))
            for part in parts
        ]
        observations = Observations(
            word=np.concatenate(words),
            guessed=np.concatenate([part["guessed"] for part in parts]),
            lives=np.concatenate([part["lives"] for part in parts]),
        )
        return policy_features(self.posterior, observations, self._look_ahead_lives)

    def step_async(self, actions: npt.NDArray[np.integer]) -> None:
        """Pass the actions to the environments."""
        for env, first in zip(self._envs, self._first, strict=False):
            env.step_async(actions[first : first + env.num_envs])

    def step_wait(self) -> VecEnvStepReturn:
        """Step the environments; ``terminal_observation`` is an observation without features."""
        steps = [env.step_wait() for env in self._envs]
        rewards = np.concatenate([rewards for _, rewards, _, _ in steps])
        ended = np.concatenate([ended for _, _, ended, _ in steps])
        infos = [info for _, _, _, infos in steps for info in infos]
        return self._features([part for part, _, _, _ in steps]), rewards, ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the unguessed letters, shape (num_envs, 26)."""
        return np.concatenate([env.action_masks() for env in self._envs])

    def get_state(self) -> dict[str, Any]:
        """Return the states of the environments."""
        return {str(number): env.get_state() for number, env in enumerate(self._envs)}

    def set_state(self, state: dict[str, Any]) -> dict[str, npt.NDArray[np.float32]]:
        """Restore a state saved by :meth:`get_state` and return the features."""
        return self._features(
            [env.set_state(state[str(number)]) for number, env in enumerate(self._envs)]
        )


def make_posterior_env(
    config: Config, posterior: LetterPosterior, held_back: Sequence[str], known: Sequence[str]
) -> PosteriorVecEnv:
    """Return games with known words, on which the posterior is fitted, and with held-back words.

    The share ``known_games`` of them has known words, unless all words are of one kind.
    """
    options = cast(OnPosteriorConfig, config.learner)
    num_known = round(options.num_envs * options.known_games)
    if not held_back or not known:
        num_known = options.num_envs if known else 0
    parts = (options.num_envs - num_known, held_back), (num_known, known)
    envs = [make_env(config, words, count) for count, words in parts if count]
    return PosteriorVecEnv(envs, posterior.with_known(options.known), options.look_ahead_lives)
