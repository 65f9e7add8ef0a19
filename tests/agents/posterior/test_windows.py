import numpy as np
import pytest

from agents.posterior.kernels import (
    MAX_REACH,
    NUM_EXTRA_ROWS,
    NUM_LENGTH_ROWS,
    PLACE_NUMBERS,
    WINDOW_NUMBERS,
)
from agents.posterior.windows import WindowPosterior
from envs.hangman.observation import select
from tests.agents.games import observe, random_states


def random_model(reach=4, rows_log2=12, seed=0):
    model = WindowPosterior(reach, rows_log2)
    random = np.random.default_rng(seed)
    model.table[:, :26] = random.normal(scale=0.3, size=(len(model.table), 26))
    # Of the learner; a prediction must not look at it.
    model.table[:, 26:] = 1e6
    return model


def plain_posterior(model, observation):
    """The model of its docstring, by plain sums over rows of the table."""
    word = observation["word"].astype(int).tolist()
    length = sum(code != 0 for code in word)
    guessed = observation["guessed"] != 0
    extra = len(model.table) - NUM_EXTRA_ROWS
    absent = [letter for letter in range(26) if guessed[letter] and letter + 2 not in word]
    places = [0, *word[:length], 0]
    present = np.ones(26)
    expected, highest = np.zeros(26), np.zeros(26)
    for place in range(length):
        if word[place] != 1:
            continue
        logits = model.table[extra + length, :26].astype(float)
        for letter in absent:
            logits = logits + model.table[extra + NUM_LENGTH_ROWS + letter, :26]
        for left in range(model.reach + 1):
            for right in range(model.reach + 1 - left):
                if left > place + 1 or right > length - place:
                    continue
                number = int(WINDOW_NUMBERS[left, right])
                for offset in [*range(-left, 0), *range(1, right + 1)]:
                    code = places[place + 1 + offset]
                    number += int(PLACE_NUMBERS[MAX_REACH + offset, code])
                row = (number % 2**64) >> (64 - model.rows_log2)
                logits = logits + model.table[row, :26]
        chances = np.where(guessed, 0, np.exp(logits - logits.max()))
        chances /= chances.sum()
        present *= 1 - chances
        expected += chances
        highest = np.maximum(highest, chances)
    return 1 - present, expected, highest


@pytest.mark.parametrize("reach", [0, 1, 4, 12])
def test_predictions_are_plain_sums_of_the_tables_rows(real_words, reach):
    model = random_model(reach)
    states, _ = random_states([*real_words[:60], "a", "ox", "z" * 32], seed=1)
    posterior = model.posterior(states)
    for game in range(len(states["lives"])):
        plain = plain_posterior(model, {key: array[game] for key, array in states.items()})
        for ours, theirs in zip(posterior[:3], plain, strict=True):
            assert ours[game] == pytest.approx(theirs, abs=2e-5)


def test_the_posterior_holds_what_its_names_say(real_words):
    model = random_model()
    states, _ = random_states(real_words[:500], seed=2)
    present, expected, highest = model.posterior(states)[:3]
    assert present.dtype == np.float32
    guessed = states["guessed"] != 0
    for array in (present, expected, highest):
        assert array.shape == (len(guessed), 26)
        assert (array[guessed] == 0).all()
        assert array.min() >= 0
    blanks = (states["word"] == 1).sum(axis=1)
    assert expected.sum(axis=1) == pytest.approx(blanks, abs=1e-3)
    assert (highest <= present + 1e-6).all()
    assert (present <= expected + 1e-6).all()
    assert model.letter_probabilities(states).tolist() == present.astype(np.float64).tolist()
    assert (guessed[np.arange(len(guessed)), model.act(states)] == 0).all()


def test_a_prediction_depends_on_its_game_alone(real_words):
    model = random_model()
    states, _ = random_states(real_words[:200], seed=3)
    whole = model.posterior(states).present
    order = np.random.default_rng(0).permutation(len(whole))
    assert np.array_equal(model.posterior(select(states, order)).present, whole[order])
    assert np.array_equal(model.posterior(select(states, slice(9, 10))).present[0], whole[9])
    wider = {**states, "word": np.pad(states["word"], ((0, 0), (0, 5)))}
    assert np.array_equal(model.posterior(wider).present, whole)
    assert model.posterior(select(states, slice(0))).present.shape == (0, 26)


def test_an_untrained_model_takes_all_letters_that_are_left_as_equally_likely():
    posterior = WindowPosterior(reach=0, rows_log2=1).posterior(observe("cat", "ax"))
    left = [letter for letter in range(26) if letter not in (0, 23)]
    assert posterior.highest[0, left] == pytest.approx(1 / 24)
    assert posterior.present[0, left] == pytest.approx(1 - (23 / 24) ** 2)


def test_a_model_as_small_arrays_predicts_nearly_the_same(real_words):
    model = random_model()
    model.table[100:2000, :26] = 0
    tensors = model.to_tensors()
    loaded = WindowPosterior.from_tensors(tensors)
    assert (loaded.reach, loaded.rows_log2) == (model.reach, model.rows_log2)
    before, after = model.table[:, :26], loaded.table[:, :26]
    # Four bits a logit: the error is at most half a step of its row.
    step = np.abs(before).max(axis=1, keepdims=True) / 7
    assert (np.abs(after - before) <= step * 0.5001).all()
    assert (after[100:2000] == 0).all()
    assert tensors["logits"].nbytes == 13 * (len(before) - 1900)
    states, _ = random_states(real_words[:300], seed=4)
    difference = np.abs(loaded.letter_probabilities(states) - model.letter_probabilities(states))
    assert 0 < difference.max() < 0.2
    assert difference.mean() < 0.01
    # Packing what was unpacked changes no prediction any more.
    again = WindowPosterior.from_tensors(loaded.to_tensors())
    assert np.allclose(again.table[:, :26], after, rtol=1e-5, atol=0)


def test_of_many_rows_those_with_the_largest_sums_of_squares_are_kept(monkeypatch):
    monkeypatch.setattr("agents.posterior.windows._MAX_SAVED_ROWS", 100)
    model = random_model()
    squares = np.square(model.table[:, :26]).sum(axis=1)
    kept = WindowPosterior.from_tensors(model.to_tensors()).table[:, :26].any(axis=1)
    assert kept.sum() == 100
    assert squares[kept].min() >= squares[~kept].max()


def test_an_empty_model_can_be_packed():
    tensors = WindowPosterior(reach=0, rows_log2=1).to_tensors()
    assert not WindowPosterior.from_tensors(tensors).table.any()


@pytest.mark.parametrize(
    "options", [{"reach": -1}, {"reach": 13}, {"rows_log2": 0}, {"rows_log2": 40}]
)
def test_sizes_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        WindowPosterior(**options)
