"""The trained policy as an agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from scipy.special import softmax

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.agents.ppo.network import Network, PolicyNetwork, policy_features
from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observation, Observations, as_batch

# The files of agents, which are those of a run.
POLICY_FILE, POSTERIOR_FILE = "policy.safetensors", "posterior.safetensors"
_NETWORKS = {network.kind: network for network in (PolicyNetwork, WindowNetwork)}


class NetworkAgent(Agent):
    """Guesses the unguessed letter with the highest score of a policy network."""

    # The last digits of single precision depend on the batch.
    tolerance = 1e-5

    def __init__(self, network: Network) -> None:
        self.network = network

    def save(self, folder: Path) -> None:
        """Write the network."""
        save_network(self.network, folder / POLICY_FILE)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the agent of a folder; raise InputError if a file of it is invalid."""
        return cls(load_network(folder / POLICY_FILE))

    def features(self, observations: Observations) -> Mapping[str, Any]:
        """Return the network's inputs, here the observations."""
        return observations

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the letter scores, shape (N, 26); -inf for guessed letters."""
        scores = self.network.letter_scores(self.features(observations))
        return np.where(observations["guessed"] != 0, -np.inf, scores.astype(np.float64))

    def choice_probabilities(
        self, observations: Observation | Observations
    ) -> npt.NDArray[np.float64]:
        """Return the action probabilities of the policy, shape (N, 26), or (26,) for one game."""
        batch, is_single = as_batch(observations)
        with np.errstate(invalid="ignore"):  # no letter is left
            probabilities = np.nan_to_num(softmax(self.letter_scores(batch), axis=1))
        return probabilities[0] if is_single else probabilities


class PPOAgent(NetworkAgent, PosteriorAgent):
    """A policy network on the features of a letter posterior."""

    def __init__(self, posterior: LetterPosterior, network: Network) -> None:
        super().__init__(network)
        self.posterior = posterior

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the agent of a folder, whose posterior :meth:`save` does not write."""
        return cls(load_posterior(folder / POSTERIOR_FILE), load_network(folder / POLICY_FILE))

    def features(self, observations: Observations) -> Mapping[str, npt.NDArray]:
        """Return the network's inputs, ``policy_features``."""
        lives = self.network.sizes["look_ahead_lives"]
        return policy_features(self.posterior, observations, lives)

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        return self.posterior._letter_probabilities(observations)


def save_network(network: Network, path: str | Path) -> None:
    """Write a policy network as safetensors, with its sizes in the metadata."""
    # save_file makes files that only their owner can read.
    Path(path).write_bytes(save(network.weights, {network.kind: json.dumps(network.sizes)}))


def load_network(path: str | Path) -> Network:
    """Load a network, without running code from the file; raise InputError if it is not one."""
    try:
        with safe_open(path, framework="numpy") as file:
            if file.metadata() is None:
                raise ValueError("it has no metadata")
            ((kind, sizes),) = file.metadata().items()
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return _NETWORKS[kind](weights, **json.loads(sizes))
    except (OSError, SafetensorError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a readable policy network ({error})") from error
