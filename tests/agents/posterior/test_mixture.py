"""The mixture of windows and n-grams: what it adds up, how it looks ahead, what is in its file."""

import pickle
import zlib

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from scipy.special import logit

from agents.ngram_posterior import NgramPosteriorAgent
from agents.posterior.mixture import MixturePosterior
from agents.posterior.windows import WindowPosterior
from agents.smoothed_ngrams import SmoothedNgrams
from envs.errors import InputError
from envs.hangman.observation import parse_observation, select
from tests.agents.games import random_states
from tests.agents.posterior.test_windows import random_model

WORDS = ("bead", "bed", "cabbage", "decade", "faded", "added", "edge", "face", "badge", "cab")


def random_mixture(words=WORDS, ngram_weight=0.85, listed=(), listed_probabilities=None):
    return MixturePosterior(
        random_model(), SmoothedNgrams(words, 4), ngram_weight, listed, listed_probabilities
    )


@pytest.fixture(scope="module")
def states(real_words):
    return random_states(real_words[:400], seed=11)[0]


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_log_odds_are_added_by_weight(real_words, states, weight):
    model = random_mixture(real_words, weight)
    windows = model.windows.posterior(states)
    counts = NgramPosteriorAgent(order=4, discount_scale=1.0, prior_weight=np.inf).fit(real_words)
    by_counts = counts.letter_probabilities(states)
    np.testing.assert_allclose(model.ngram_probabilities(states), by_counts, atol=1e-9)
    posterior = model.posterior(states)
    usual = (states["guessed"] == 0) & (by_counts > 1e-5) & (by_counts < 1 - 1e-5)
    expected = weight * logit(by_counts[usual]) + (1 - weight) * logit(windows.present[usual])
    np.testing.assert_allclose(logit(posterior.present[usual]), expected, atol=0.02)
    assert (posterior.present[states["guessed"] != 0] == 0).all()
    assert (posterior.expected == windows.expected).all()
    assert (posterior.highest == windows.highest).all()


def test_without_ngrams_it_is_the_windows(states):
    windows = random_model()
    model = MixturePosterior(windows)
    assert (model.letter_probabilities(states) == windows.letter_probabilities(states)).all()
    assert np.isnan(model.win_probabilities(states, model.posterior(states), 6)).all()


def test_a_games_posterior_does_not_depend_on_the_batch(real_words, states):
    model = random_mixture(real_words)
    whole = model.letter_probabilities(states)
    order = np.random.default_rng(0).permutation(len(whole))
    assert (model.letter_probabilities(select(states, order)) == whole[order]).all()
    for game in range(5):
        alone = model.letter_probabilities(select(states, slice(game, game + 1)))
        assert (alone[0] == whole[game]).all()


def test_it_looks_ahead_where_few_lives_are_left_and_at_likely_letters(real_words, states):
    model = random_mixture(real_words)
    posterior = model.posterior(states)
    present = posterior.present
    values = model.win_probabilities(states, posterior, max_lives=2)
    valued = ~np.isnan(values)
    looked = valued.any(axis=1)
    highest = present.max(axis=1)
    assert (looked == ((states["lives"] <= 2) & (highest < 0.97) & (highest > 0.02))).all()
    assert 0 < looked.sum() < len(looked)
    assert (valued.sum(axis=1) <= 8).all()
    assert (present[valued] >= 0.02).all()
    assert (values[valued] >= 0).all()
    assert (values[valued] <= 1 + 1e-9).all()
    # The likeliest letter is always among those that are valued.
    assert valued[np.flatnonzero(looked), present[looked].argmax(axis=1)].all()
    assert np.isnan(model.win_probabilities(states, posterior, max_lives=0)).all()


def test_a_saved_model_gives_nearly_the_same_posterior(real_words, states, tmp_path):
    model = random_mixture(real_words, 0.7)
    path = tmp_path / "posterior.safetensors"
    model.save(path)
    loaded = MixturePosterior.load(path)
    assert loaded.ngram_weight == 0.7
    assert (loaded.ngram_probabilities(states) == model.ngram_probabilities(states)).all()
    difference = loaded.letter_probabilities(states) - model.letter_probabilities(states)
    assert 0 < np.abs(difference).max() < 0.1
    MixturePosterior(random_model()).save(path)
    assert MixturePosterior.load(path).ngrams is None


def test_excluded_words_are_no_secrets_and_come_back_from_the_file(real_words, tmp_path):
    words = ("fight", "light", "might", "night", "right", "sight")
    observation = parse_observation("_ight")
    usual = random_mixture(words, 1.0)
    model = random_mixture(words, 1.0, words)
    listed = [ord(word[0]) - ord("a") for word in words]
    assert usual.letter_probabilities(observation)[0, listed].sum() > 0.3
    assert model.letter_probabilities(observation)[0, listed].max() < 0.02
    path = tmp_path / "posterior.safetensors"
    model.save(path)
    loaded = MixturePosterior.load(path)
    assert loaded.listed == words
    assert (loaded.ngram_probabilities(observation) == model.ngram_probabilities(observation)).all()
    assert MixturePosterior(model.windows, model.ngrams).listed == ()


def test_words_with_a_probability_are_expected_as_it_says_and_come_back_from_the_file(tmp_path):
    words = ("fight", "light", "might", "night", "right", "sight")
    observation = parse_observation("_ight")
    model = random_mixture(words, 1.0, (*words, "bight", "wight"), (0, 0, 0, 0, 0, 0, 0.2, 0.6))
    chances = model.letter_probabilities(observation)[0]
    assert chances[ord("w") - ord("a")] / chances[ord("b") - ord("a")] == pytest.approx(3, rel=0.01)
    assert chances[ord("w") - ord("a")] > 0.7
    path = tmp_path / "posterior.safetensors"
    model.save(path)
    loaded = MixturePosterior.load(path)
    assert loaded.listed == model.listed
    assert (loaded.listed_probabilities == model.listed_probabilities).all()
    assert (loaded.ngram_probabilities(observation) == model.ngram_probabilities(observation)).all()


@pytest.mark.parametrize("probabilities", [(0.5,), (0.5, 0.5), (-0.1, 0.5), (np.nan, 0.1)])
def test_probabilities_that_are_none_are_refused(probabilities):
    with pytest.raises(ValueError, match="listed_probabilities"):
        random_mixture(WORDS, 1.0, ("bead", "bed"), probabilities)


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(ValueError, match="ngram_weight"):
        MixturePosterior(random_model(), None, weight)


def test_others_may_read_a_saved_model_as_any_new_file(tmp_path):
    path, other = tmp_path / "posterior.safetensors", tmp_path / "other"
    MixturePosterior(WindowPosterior(reach=0, rows_log2=1)).save(path)
    other.write_text("")
    assert path.stat().st_mode == other.stat().st_mode


class Explosive:
    """Unpickling it leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def damaged_files(tmp_path):
    whole = tmp_path / "whole.safetensors"
    random_mixture(listed=WORDS).save(whole)
    content = whole.read_bytes()
    tensors = load_file(whole)

    def with_tensors(**changes):
        path = tmp_path / "changed.safetensors"
        save_file(
            tensors | {name.replace("__", "."): array for name, array in changes.items()}, path
        )
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
    yield "reach too far", with_tensors(windows__reach=np.array(99))
    yield "reach is no number", with_tensors(windows__reach=np.zeros(3))
    yield "table too large", with_tensors(windows__rows_log2=np.array(60))
    yield "table of negative size", with_tensors(windows__rows_log2=np.array(-1))
    yield (
        "rows out of range",
        with_tensors(windows__rows=np.full_like(tensors["windows.rows"], 10**6)),
    )
    yield "shapes do not fit", with_tensors(windows__scales=np.ones(3, dtype=np.float32))
    yield (
        "wide logits",
        with_tensors(windows__logits=np.ones((len(tensors["windows.rows"]), 15), dtype=np.uint8)),
    )
    yield "order too high", with_tensors(ngrams__order=np.array(11))
    yield "order too low", with_tensors(ngrams__order=np.array(1))
    yield "order is no number", with_tensors(ngrams__order=np.zeros(3))
    yield (
        "no n-grams",
        with_tensors(
            ngrams__steps=tensors["ngrams.steps"][:0], ngrams__counts=tensors["ngrams.counts"][:0]
        ),
    )
    yield "counts do not fit", with_tensors(ngrams__counts=tensors["ngrams.counts"][1:])
    yield "counts of nothing", with_tensors(ngrams__counts=tensors["ngrams.counts"] * 0)
    yield "n-grams twice", with_tensors(ngrams__steps=tensors["ngrams.steps"] * 0)
    yield (
        "n-grams beyond all",
        with_tensors(ngrams__steps=tensors["ngrams.steps"].astype(np.int64) << 40),
    )
    yield (
        "no beginning",
        with_tensors(ngrams__steps=np.arange(1, 3), ngrams__counts=np.ones(2, dtype=np.int64)),
    )
    yield "weight above 1", with_tensors(ngram_weight=np.array(1.5))
    yield "weight is not a number", with_tensors(ngram_weight=np.array(np.nan))

    def with_listed(text, probabilities=(0.0,)):
        return with_tensors(
            listed=np.frombuffer(zlib.compress(text), dtype=np.uint8),
            listed_probabilities=np.array(probabilities, dtype=np.float32),
        )

    yield "empty word", with_listed(b"bed\n\ncab", (0.1, 0.1, 0.1))
    yield "capitals", with_listed(b"BED")
    yield "long word", with_listed(b"a" * 33)
    yield "word beyond ASCII", with_listed(b"\xe4")
    yield "word twice", with_listed(b"bed\nbed", (0.1, 0.1))
    yield "too few probabilities", with_listed(b"bed\ncab")
    yield "certain words", with_listed(b"bed\ncab", (0.5, 0.6))
    yield "negative probability", with_listed(b"bed", (-0.5,))
    yield "words that are not compressed", with_tensors(listed=np.full(3, 97, dtype=np.uint8))
    yield "words as numbers", with_tensors(listed=np.full(3, 97, dtype=np.int64))
    yield (
        "no probabilities",
        with_tensors(listed=np.frombuffer(zlib.compress(b"bed"), dtype=np.uint8)),
    )
    yield "float rows", with_tensors(windows__rows=tensors["windows.rows"].astype(np.float32))


def test_damaged_and_foreign_files_are_refused_in_one_line_and_run_no_code(tmp_path):
    path = tmp_path / "posterior.safetensors"
    for name, content in damaged_files(tmp_path):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a readable posterior") as caught:
            MixturePosterior.load(path)
        assert str(path) in str(caught.value), name
        assert "\n" not in str(caught.value), name
    assert not (tmp_path / "exploded").exists()
    for missing in (tmp_path / "missing.safetensors", tmp_path):
        with pytest.raises(InputError, match="not a readable posterior"):
            MixturePosterior.load(missing)
