import pickle

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from agents.posterior.kernels import (
    MAX_REACH,
    NUM_EXTRA_ROWS,
    NUM_LENGTH_ROWS,
    PLACE_NUMBERS,
    WINDOW_NUMBERS,
)
from agents.posterior.windows import WindowPosterior
from envs.errors import InputError
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
        for ours, theirs in zip(posterior, plain, strict=True):
            assert ours[game] == pytest.approx(theirs, abs=2e-5)


def test_the_posterior_holds_what_its_names_say(real_words):
    model = random_model()
    states, _ = random_states(real_words[:500], seed=2)
    present, expected, highest = model.posterior(states)
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


def test_a_saved_model_predicts_nearly_the_same(real_words, tmp_path):
    model = random_model()
    model.table[100:2000, :26] = 0
    path = tmp_path / "posterior.safetensors"
    model.save(path)
    loaded = WindowPosterior.load(path)
    assert (loaded.reach, loaded.rows_log2) == (model.reach, model.rows_log2)
    before, after = model.table[:, :26], loaded.table[:, :26]
    # Eight bits a logit: the error is at most half a step of its row.
    step = np.abs(before).max(axis=1, keepdims=True) / 127
    assert (np.abs(after - before) <= step * 0.5001).all()
    assert (after[100:2000] == 0).all()
    states, _ = random_states(real_words[:300], seed=4)
    difference = np.abs(loaded.letter_probabilities(states) - model.letter_probabilities(states))
    assert 0 < difference.max() < 0.02
    # Saving what was loaded changes no prediction any more.
    loaded.save(tmp_path / "again.safetensors")
    again = WindowPosterior.load(tmp_path / "again.safetensors")
    assert np.allclose(again.table[:, :26], after, rtol=1e-5, atol=0)


def test_others_may_read_a_saved_model_as_any_new_file(tmp_path):
    path, other = tmp_path / "posterior.safetensors", tmp_path / "other"
    WindowPosterior(reach=0, rows_log2=1).save(path)
    other.write_text("")
    assert path.stat().st_mode == other.stat().st_mode


def test_an_empty_model_can_be_saved(tmp_path):
    path = tmp_path / "posterior.safetensors"
    WindowPosterior(reach=0, rows_log2=1).save(path)
    assert not WindowPosterior.load(path).table.any()


class Explosive:
    """Unpickling it leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def damaged_files(tmp_path):
    whole = tmp_path / "whole.safetensors"
    random_model(rows_log2=4).save(whole)
    content = whole.read_bytes()
    tensors = load_file(whole)

    def with_tensors(**changes):
        path = tmp_path / "changed.safetensors"
        save_file(tensors | changes, path)
        return path.read_bytes()

    yield "empty", b""
    for size in (1, 8, 40, len(content) // 2, len(content) - 1):
        yield f"cut at {size}", content[:size]
    yield "text", b"not a model\n" * 20
    yield "zeros", bytes(500)
    yield "huge header", b"\xff" * 8 + content[8:]
    yield "pickle", pickle.dumps(Explosive(tmp_path / "exploded"))
    other = tmp_path / "other.safetensors"
    save_file({"weight": np.zeros((3, 3), dtype=np.float32)}, other)
    yield "another model", other.read_bytes()
    yield "reach too far", with_tensors(reach=np.array(99))
    yield "reach is no number", with_tensors(reach=np.zeros(3))
    yield "table too large", with_tensors(rows_log2=np.array(60))
    yield "table of negative size", with_tensors(rows_log2=np.array(-1))
    yield "rows out of range", with_tensors(rows=np.full_like(tensors["rows"], 10**6))
    yield "shapes do not fit", with_tensors(scales=np.ones(3, dtype=np.float32))
    yield "wide logits", with_tensors(logits=np.ones((len(tensors["rows"]), 30), dtype=np.int8))
    yield "float rows", with_tensors(rows=tensors["rows"].astype(np.float32))


def test_damaged_and_foreign_files_are_refused_in_one_line_and_run_no_code(tmp_path):
    path = tmp_path / "posterior.safetensors"
    for name, content in damaged_files(tmp_path):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a readable posterior") as caught:
            WindowPosterior.load(path)
        assert str(path) in str(caught.value), name
        assert "\n" not in str(caught.value), name
    assert not (tmp_path / "exploded").exists()
    for missing in (tmp_path / "missing.safetensors", tmp_path):
        with pytest.raises(InputError, match="not a readable posterior"):
            WindowPosterior.load(missing)


@pytest.mark.parametrize(
    "options", [{"reach": -1}, {"reach": 13}, {"rows_log2": 0}, {"rows_log2": 40}]
)
def test_sizes_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        WindowPosterior(**options)
