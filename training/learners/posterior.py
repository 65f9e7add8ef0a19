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
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent
from hangman_lab.agents.ppo.agent import PPOAgent
from hangman_lab.agents.ppo.network import (
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
    policy_features,
)
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.agents import load_policy
from hangman_lab.run_files.config import PPOOnPosteriorConfig
from hangman_lab.run_files.words import draw_words
from hangman_lab.terminal.console import stage
from hangman_lab.training.checkpoint import StopRequest
from hangman_lab.training.learners.base import FinalTable, PPOLearner, make_env
from hangman_lab.training.networks import PolicyModule, played_network
from hangman_lab.training.posterior import NUM_STEPS, fit_posterior, hold_back


class PosteriorLearner(PPOLearner):
    """Fits the posterior, and trains a policy network on its features."""

    Options = PPOOnPosteriorConfig
    agent_class = PPOAgent
    options: PPOOnPosteriorConfig
    posterior: LetterPosterior

    def fit(self, state: dict[str, Any], progress: Progress, stop: StopRequest) -> dict[str, Any]:
        """Fit and write the posterior of the train words, and that without the held-back words."""
        self._fit_posterior(self.words.parts["train"], progress, stop)
        return {}

    def _fit_posterior(self, words: Sequence[str], progress: Progress, stop: StopRequest) -> None:
        with stage(progress, "posterior", NUM_STEPS, "steps") as advance:

            def report(text: str) -> None:
                stop.raise_if_requested(self.run.path)
                advance(1, f"posterior: {text}")

            fit_posterior(words, self.config.seed, report).save(self.run)

    def load(self) -> None:
        """Load the posterior."""
        self.posterior = load_posterior(self.run.posterior)
        self._by_known: dict[float, LetterPosterior] = {}

    def _with_known(self, known: float) -> LetterPosterior:
        """Return the posterior for a prior of known words, whose beliefs all agents share."""
        return self._by_known.setdefault(known, self.posterior.with_prior(known))

    def make_model(self) -> MaskablePPO:
        """Return a new model."""
        posterior = load_posterior(self.run.held_back_posterior)
        games = make_env(self.config, game_words(self.words.parts["train"]), self.options.num_envs)
        lives = self.options.look_ahead_lives
        env = PosteriorVecEnv(games, posterior.with_prior(self.options.known), lives)
        module = partial(PolicyModule, look_ahead_lives=lives)
        return self.make_ppo(MaskablePPO, env, {"module": module})

    def agent(self, model: MaskablePPO) -> PPOAgent:
        """Return the agent that plays the network of a model, with the prior of its games."""
        return PPOAgent(self._with_known(self.options.known), played_network(model))

    @property
    def final_tables(self) -> list[FinalTable]:
        """Unseen words, known words, and unseen words with ``known`` 0."""
        part = self.config.final_split
        return [
            FinalTable("unseen", part, DEFAULT_KNOWN),
            FinalTable("known", "train", DEFAULT_KNOWN),
            FinalTable("excluded", part, 0.0),
        ]

    def planners(self, known: float | None = None) -> dict[str, Agent]:
        """Return the look-ahead and the posterior with a prior of known words."""
        posterior = self._with_known(self.options.known if known is None else known)
        look_ahead = LookAheadAgent(posterior, self.options.look_ahead_lives)
        agents = {"look-ahead": look_ahead, "posterior": posterior}
        return {name: agents[name] for name in self.options.agents[1:]}

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the policy that the run has written, and the planners, with a prior."""
        assert known is not None
        policy = PPOAgent(self._with_known(known), load_policy(self.run))
        return {self.options.agents[0]: policy, **self.planners(known)}


class PosteriorVecEnv(VecEnvWrapper):
    """Observes ``policy_features`` instead of the games of an environment.

    The features are computed once per step instead of once per epoch of PPO.
    """

    venv: HangmanVecEnv

    def __init__(
        self, venv: HangmanVecEnv, posterior: LetterPosterior, look_ahead_lives: int
    ) -> None:
        self.posterior = posterior
        self._look_ahead_lives = look_ahead_lives
        features: dict[str, spaces.Space[Any]] = {
            "letters": spaces.Box(-np.inf, np.inf, (NUM_LETTERS, NUM_LETTER_FEATURES)),
            "state": spaces.Box(-np.inf, np.inf, (NUM_STATE_FEATURES,)),
        }
        super().__init__(venv, spaces.Dict(features))

    def _features(self, observations: Observations) -> dict[str, npt.NDArray[np.float32]]:
        # As agents play words: for other dtypes, kernels would be compiled again.
        word, guessed = observations["word"].astype(np.uint8), observations["guessed"]
        states = Observations(word=word, guessed=guessed, lives=observations["lives"])
        return policy_features(self.posterior, states, self._look_ahead_lives)

    def reset(self) -> dict[str, npt.NDArray[np.float32]]:
        """Start new games, with the seeds set by ``seed``."""
        return self._features(self.venv.reset())

    def step_wait(self) -> VecEnvStepReturn:
        """Step the games; ``terminal_observation`` is an observation without features."""
        observations, rewards, ended, infos = self.venv.step_wait()
        return self._features(cast(Observations, observations)), rewards, ended, infos

    def set_state(self, state: dict[str, Any]) -> dict[str, npt.NDArray[np.float32]]:
        """Restore a state of the games and return the features."""
        return self._features(self.venv.set_state(state))


def game_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of PPO's games: the held-back words, and as many of the others."""
    held_back, known = hold_back(words)
    return (*held_back, *draw_words(known, len(held_back) or len(known)))
