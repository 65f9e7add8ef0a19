"""PPO by sb3-contrib's MaskablePPO, with a posterior or alone, and its state for checkpoints."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from agents.posterior.posterior import LetterPosterior, UniformPosterior
from agents.ppo.network import PolicyNetwork
from agents.ppo.policy import LetterPolicy
from agents.ppo.windows import WindowNetwork
from envs.errors import InputError
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.sb3 import HangmanVecEnv
from runs.config import Config
from training.environment import PosteriorVecEnv


def reward_of(config: Config) -> Reward:
    """Return the reward that the config names; a potential has the learner's discount.

    Raises
    ------
    InputError
        If a parameter is unknown.
    """
    parameters: dict[str, float] = dict(config.reward.parameters)
    if config.reward.name == "potential":
        if "discount" in parameters:
            raise InputError(
                "reward.parameters.discount: the potential's discount is the learner's; "
                "set the key 'discount' of the config"
            )
        parameters["discount"] = config.discount
    try:
        return make_reward(config.reward.name, **parameters)
    except TypeError as error:
        allowed = ", ".join(vars(make_reward(config.reward.name)))
        raise InputError(
            f"reward.parameters: {sorted(parameters)} has an unknown one; {config.reward.name} "
            f"has {allowed}"
        ) from error


def make_model(
    config: Config,
    posterior: LetterPosterior | UniformPosterior,
    unknown: Sequence[str],
    known: Sequence[str],
) -> MaskablePPO:
    """Return the learner before its first step.

    Parameters
    ----------
    config : Config
    posterior : LetterPosterior or UniformPosterior
        Fitted on the known words, and on none of the unknown ones.
    unknown, known : sequence of str
        The words of the games, at least one; ``config.ppo.known`` says how many games have known
        words. Where one kind has no word, the other one's are played. Without a posterior all
        words are alike.
    """
    options = config.ppo
    if not config.posterior.enabled:
        env = HangmanVecEnv(
            options.num_envs,
            words=(*unknown, *known),
            reward=reward_of(config),
            **config.env.model_dump(),
        )
        network = partial(WindowNetwork, **config.windows.model_dump())
        # Fused, since the update of all rows takes as long as their gradients.
        return _make_learner(config, env, network, optimizer_kwargs={"eps": 1e-5, "fused": True})
    num_known = round(options.num_envs * options.known)
    if not unknown or not known:
        num_known = options.num_envs if known else 0
    env = PosteriorVecEnv(
        [
            HangmanVecEnv(count, words=words, reward=reward_of(config), **config.env.model_dump())
            for count, words in ((options.num_envs - num_known, unknown), (num_known, known))
            if count
        ],
        posterior.with_known(options.known),
        config.policy.look_ahead_lives,
    )
    return _make_learner(config, env, partial(PolicyNetwork, **config.policy.model_dump()))


def _make_learner(
    config: Config,
    env: VecEnv,
    network: Callable[[], PolicyNetwork | WindowNetwork],
    **policy: Any,
) -> MaskablePPO:
    options = config.ppo
    with warnings.catch_warnings():
        # It asks for batches that divide the rollout; the last, smaller one does no harm.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        return MaskablePPO(
            LetterPolicy,
            env,
            learning_rate=LinearSchedule(options.learning_rate, 0.0, 1.0),
            n_steps=options.rollout_steps,
            batch_size=options.batch_size,
            n_epochs=options.epochs,
            gamma=config.discount,
            gae_lambda=options.gae_lambda,
            ent_coef=options.entropy_coefficient,
            policy_kwargs={"network": network} | policy,
            seed=config.seed,
            device="cpu",
        )


def get_state(model: MaskablePPO) -> dict[str, Any]:
    """Return what the rest of the learning depends on; call it between rollouts."""
    keys, position = np.random.get_state(legacy=True)[1:3]
    return {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "env": model.env.get_state(),
        "num_timesteps": model.num_timesteps,
        "num_updates": model._n_updates,
        "episode_starts": model._last_episode_starts.copy(),
        "episodes": list(model.ep_info_buffer),
        "numpy_random": {"keys": keys.copy(), "position": int(position)},
        "torch_random": torch.get_rng_state(),
    }


def set_state(model: MaskablePPO, state: dict[str, Any]) -> None:
    """Go on from what :func:`get_state` returned.

    Raises
    ------
    KeyError, ValueError, RuntimeError
        If the state is not that of such a model.
    """
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    model.env.set_state(state["env"])
    model.num_timesteps = state["num_timesteps"]
    model._n_updates = state["num_updates"]
    model._last_obs = model.env.observe()
    model._last_episode_starts = state["episode_starts"]
    model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    numpy_random = state["numpy_random"]
    np.random.set_state(("MT19937", numpy_random["keys"], numpy_random["position"]))
    torch.set_rng_state(state["torch_random"])
