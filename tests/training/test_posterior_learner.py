import numba
import numpy as np
import pytest
import torch

from agents.posterior.kernels import (
    MAX_REACH,
    NUM_EXTRA_ROWS,
    NUM_LENGTH_ROWS,
    PLACE_NUMBERS,
    WINDOW_NUMBERS,
)
from agents.posterior.windows import WindowPosterior
from envs.encoding import encode_words
from tests.agents.games import observe, random_states
from training.posterior_learner import PosteriorLearner


def model_of(seed=0, reach=3, rows_log2=11):
    model = WindowPosterior(reach, rows_log2)
    random = np.random.default_rng(seed)
    model.table[:, :26] = random.normal(scale=0.2, size=(len(model.table), 26))
    model.table[:, 26] = random.random(len(model.table))
    return model


def batch_of(words, seed=1):
    """Games that go on, and the codes of their secret words."""
    states, secrets = random_states(words, seed)
    width = states["word"].shape[1]
    return states, encode_words(secrets, width).codes


def rows_of(model, word, guessed, place):
    """The rows of the table that a blank uses, by the model's description."""
    length = int((word != 0).sum())
    places = [0, *word[:length].tolist(), 0]
    rows = []
    for left in range(min(model.reach, place + 1) + 1):
        for right in range(min(model.reach - left, length - place) + 1):
            number = int(WINDOW_NUMBERS[left, right])
            for offset in [*range(-left, 0), *range(1, right + 1)]:
                number += int(PLACE_NUMBERS[MAX_REACH + offset, places[place + 1 + offset]])
            rows.append((number % 2**64) >> (64 - model.rows_log2))
    extra = len(model.table) - NUM_EXTRA_ROWS
    rows.append(extra + length)
    rows += [
        extra + NUM_LENGTH_ROWS + letter
        for letter in np.flatnonzero(guessed)
        if letter + 2 not in places
    ]
    return rows


def reference_step(model, states, secrets, learning_rate, presence_weight):
    """One step with torch's gradients; returns the table, the loss and the probabilities."""
    table = model.table.astype(np.float64).copy()
    updates, losses, present = [], [], []
    for word, guessed, secret in zip(states["word"], states["guessed"], secrets, strict=True):
        blanks = np.flatnonzero(word == 1)
        rows = [rows_of(model, word, guessed, place) for place in blanks]
        logits = torch.tensor(
            np.stack([table[row, :26].sum(axis=0) for row in rows]), requires_grad=True
        )
        is_left = torch.tensor(guessed == 0)
        chances = torch.softmax(logits.masked_fill(~is_left, -torch.inf), dim=1)
        truth = torch.tensor(secret[blanks].astype(np.int64) - 2)
        loss = -torch.log(chances[torch.arange(len(blanks)), truth]).sum()
        presence = 1 - (1 - chances).prod(dim=0)
        is_present = torch.zeros(26, dtype=torch.bool)
        is_present[truth] = True
        right = torch.where(is_present, presence, 1 - presence)[is_left]
        loss = loss - presence_weight * torch.log(right).sum()
        loss.backward()
        updates += zip(rows, logits.grad.numpy(), strict=True)
        losses.append(loss.item())
        present.append(presence.detach().numpy())
    for rows, gradient in updates:
        for row in rows:
            # Adagrad with one sum of squares a row.
            table[row, 26] += (gradient**2).sum()
            table[row, :26] -= learning_rate / np.sqrt(table[row, 26]) * gradient
    return table, np.mean(losses), np.stack(present)


@pytest.mark.parametrize("presence_weight", [0.0, 1.0, 2.5])
def test_a_step_is_adagrad_on_the_gradients_of_torch(real_words, presence_weight):
    states, secrets = batch_of(real_words[:40])
    model = model_of()
    expected, loss, present = reference_step(model, states, secrets, 0.3, presence_weight)
    before = model.table.copy()
    learner = PosteriorLearner(model, len(secrets), presence_weight=presence_weight)
    ours, our_loss = learner.update(states, secrets, 0.3, 0)
    assert our_loss == pytest.approx(loss, rel=1e-4)
    assert ours == pytest.approx(present, abs=1e-5)
    assert np.abs(expected - before).max() > 0.05
    assert model.table[:, :27] == pytest.approx(expected[:, :27], abs=2e-4)


def learn(real_words, threads, **options):
    states, secrets = batch_of(real_words[:300])
    model = model_of(rows_log2=14)
    learner = PosteriorLearner(model, len(secrets), **options)
    numba.set_num_threads(threads)
    try:
        losses = [learner.update(states, secrets, 0.3, number)[1] for number in range(8)]
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    return model.table, losses


def test_the_result_does_not_depend_on_the_number_of_threads(real_words):
    options = {"window_dropout": 0.1, "max_dropout": 0.5}
    one, losses = learn(real_words, 1, **options)
    many, other_losses = learn(real_words, numba.config.NUMBA_NUM_THREADS, **options)
    assert one.tobytes() == many.tobytes()
    assert losses == other_losses


def test_the_loss_falls_on_what_is_learned(real_words):
    states, secrets = batch_of(real_words[:300])
    learner = PosteriorLearner(WindowPosterior(4, 16), len(secrets))
    losses = [learner.update(states, secrets, 0.1, number)[1] for number in range(40)]
    assert losses[-1] < 0.5 * losses[0]


def test_dropout_is_keyed_by_seed_and_update(real_words):
    states, secrets = batch_of(real_words[:60])

    def table(seed, number, dropout=0.3):
        model = model_of()
        learner = PosteriorLearner(model, len(secrets), dropout, 0.9, seed=seed)
        learner.update(states, secrets, 0.3, number)
        return model.table.tobytes()

    assert table(0, 0) == table(0, 0)
    assert len({table(0, 0), table(0, 1), table(1, 0), table(0, 0, dropout=0.0)}) == 4
    assert table(0, 0, dropout=0.0) == table(1, 5, dropout=0.0)


def test_a_letter_that_is_certain_leaves_the_table_finite():
    # All but one letter are guessed, so that nothing can be learned from the blank.
    states = observe("az", "abcdefghijklmnopqrstuvwxy")
    for presence_weight in (0.0, 1.0):
        model = WindowPosterior(2, 10)
        learner = PosteriorLearner(model, 1, presence_weight=presence_weight)
        learner.update(states, encode_words(["az"]).codes, 0.4, 0)
        assert np.isfinite(model.table).all()
