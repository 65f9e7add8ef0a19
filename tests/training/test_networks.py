"""The modules that are trained, and the networks that play."""

import numba
import numpy as np
import pytest
import torch

from hangman_lab.agents.ppo.network import policy_features
from hangman_lab.training.networks import PolicyModule, WindowModule
from tests.agents.games import random_states
from tests.agents.posterior.priors import posterior_of
from tests.agents.ppo.test_network import module_of


def to_tensors(features):
    return {name: torch.from_numpy(array) for name, array in features.items()}


@pytest.fixture(scope="module")
def states(real_words):
    return random_states(real_words[:100], seed=1)


@pytest.mark.parametrize(
    "module",
    [
        PolicyModule(),
        module_of(PolicyModule),
        module_of(PolicyModule, letter_hidden=5, look_ahead_lives=2),
        WindowModule(),
        module_of(WindowModule, context=3, log_rows=9),
    ],
)
def test_what_is_trained_is_what_plays(states, module):
    """The forward passes of torch and of NumPy give the same scores."""
    features = states
    if isinstance(module, PolicyModule):
        lives = module.sizes["look_ahead_lives"]
        features = policy_features(posterior_of(), states, lives)
    with torch.no_grad():
        trained = module.forward_actor(to_tensors(features)).numpy()
    played = module.to_numpy().letter_scores(features)
    assert played.dtype == np.float32
    assert played == pytest.approx(trained, abs=1e-4)


def test_the_gradient_is_that_of_the_sum_over_windows(states):
    """Compared with a finite difference along the gradient, for any number of threads."""
    module = module_of(WindowModule, context=3, log_rows=6)
    some = {name: tensor[:12] for name, tensor in to_tensors(states).items()}
    weight = torch.randn(12, 26, generator=torch.Generator().manual_seed(0))

    def loss():
        return (module(some)[0] * weight).sum()

    gradients = []
    for threads in (1, 2):
        numba.set_num_threads(threads)
        module.zero_grad()
        loss().backward()
        gradients.append(module.windows.grad)
    # The first gradient is still in use, so that the second did not overwrite it.
    assert torch.equal(*gradients)
    kept = gradients[0].clone()
    loss().backward()
    assert torch.allclose(module.windows.grad, 2 * kept)
    assert torch.equal(gradients[0], kept)
    direction = gradients[0] / gradients[0].norm()
    with torch.no_grad():
        module.windows += 1e-2 * direction
        high = loss().item()
        module.windows -= 2e-2 * direction
        low = loss().item()
    assert (high - low) / 2e-2 == pytest.approx(gradients[0].norm().item(), rel=0.01)
