"""The letter posterior, compared with sums over all words, in any batch, and from its file."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from safetensors.numpy import load_file, save

from hangman_lab.agents.posterior.files import load_posterior, pack_words, save_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent
from hangman_lab.envs.encoding import ALPHABET, EncodedWords, decode, encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import parse_observation, select
from tests.agents.games import letters_of, matching
from tests.agents.posterior.priors import CANDIDATES, WORDS, posterior_of


@pytest.fixture(scope="module")
def model(real_words):
    candidates = {word + "s": 0.5 / 200 for word in real_words[:400:2]}
    known = tuple(word for word in real_words if word not in candidates)
    return posterior_of(known, candidates)


@pytest.mark.parametrize("known", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("pattern", "num_left"),
    [("___", 6), ("_e_", 5), ("____", 5), ("b_d", 26), ("_a__a_e", 5), ("cabba_es", 8), ("_", 26)],
)
def test_the_posterior_is_a_sum_over_all_words(pattern, num_left, known):
    left = [letter for letter in "bdegcafstxyzhijklmnopqruvw" if letter not in pattern][:num_left]
    wrong = "".join({*ALPHABET} - {*pattern, *left})
    agent = posterior_of(exact=True).with_prior(known)
    belief = agent.belief(parse_observation(pattern, wrong, max_wrong=26))
    hidden = list(itertools.product(left, repeat=pattern.count("_")))
    words = [pattern.replace("_", "{}").format(*letters) for letters in hidden]
    chances = agent.prior.probabilities(encode_words(words))
    for letter, present in zip(ALPHABET, belief.present[0], strict=True):
        is_hidden = [letter in letters for letters in hidden]
        assert present == pytest.approx(chances @ is_hidden / chances.sum(), abs=2e-3)
    listed = {*WORDS, *CANDIDATES}
    of_listed = sum(c for word, c in zip(words, chances, strict=True) if word in listed)
    assert belief.prob_listed[0] == pytest.approx(of_listed / chances.sum(), abs=2e-3)


@pytest.mark.parametrize("most_kept", [0, 150, 10**6])
def test_beliefs_do_not_depend_on_batch_cache_or_threads(model, states, monkeypatch, most_kept):
    monkeypatch.setattr("hangman_lab.agents.posterior.posterior._CACHE_SIZE", most_kept)
    agent, expected = LetterPosterior(model.prior), LetterPosterior(model.prior).belief(states)
    generator = np.random.default_rng(0)
    parts = [generator.integers(0, len(states["lives"]), 40) for _ in range(100)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda part: agent.belief(select(states, part)), parts)
        for part, belief in zip(parts, found, strict=True):
            assert (belief.present == expected.present[part]).all()
            assert (belief.prob_listed == expected.prob_listed[part]).all()
    # Emptied when it is full; each thread can add a part.
    assert len(agent._cache) <= most_kept + 4 * 40
    # Of words of another width.
    wider = states | {"word": np.pad(states["word"], ((0, 0), (0, 3)))}
    assert (agent.belief(wider).present == expected.present).all()


def test_pruning_changes_little_and_guessed_letters_have_probability_0(model, states):
    exact = LetterPosterior(model.prior, beam=0.0).letter_probabilities(states)
    pruned = model.letter_probabilities(states)
    assert 0 < np.abs(pruned - exact).mean() < 0.005
    assert (pruned[states["guessed"] != 0] == 0).all()
    no_letter_left = parse_observation("ca_", "bdefghijklmnopqrstuvwxyz", max_wrong=26)
    for over in (no_letter_left, parse_observation("cab")):
        belief = model.belief(over)
        assert not belief.present.any()
        assert belief.prob_listed == 0


def test_words_that_cannot_be_the_secret_do_not_skip_the_letter_models():
    """A hundred listed words match, but with a ``known`` of 0 only one of them is possible."""
    words = list(map("".join, itertools.product("bcdfg", "aeiou", "klmn")))[:99]
    game = parse_observation("___")
    pruned, exact = (
        posterior_of(tuple(words), {"xyz": 1e-3}, 0.0, exact=exact) for exact in (False, True)
    )
    expected = exact.belief(game).prob_listed
    assert pruned.belief(game).prob_listed == pytest.approx(expected, rel=0.05)
    # All hundred can be it: they decide, without the models of letters.
    assert pruned.with_prior(0.5).belief(game).prob_listed == 1


def test_below_a_hundred_matching_listed_words_the_others_are_possible(model, states):
    """Also if pruning loses them."""
    listed = list(map(decode, model.prior.words.codes))
    games = zip(map(decode, states["word"]), map(letters_of, states["guessed"]), strict=True)
    counts = np.array([len(matching(listed, *game)) for game in games])
    assert ((model.belief(states).prob_listed == 1) == (counts >= 100)).all()


@pytest.mark.parametrize("pattern", ["_e_", "__ce", "_ad_e"])
def test_both_letter_models_count_where_unlisted_words_are_likely(pattern):
    pruned, exact = (posterior_of(share=0.3, weight=0.9, exact=exact) for exact in (False, True))
    game = parse_observation(pattern)
    expected = exact.belief(game).prob_listed
    assert pruned.belief(game).prob_listed == pytest.approx(expected, abs=2e-3)


def test_look_ahead_is_for_likely_letters_with_few_lives_left(model, states):
    """Its agent takes the best letter, or the likeliest one without look-ahead."""
    belief = model.belief(states)
    present = belief.present
    values = model.win_probabilities(states, belief, max_lives=2)
    valued = ~np.isnan(values)
    looked = valued.any(axis=1)
    highest = present.max(axis=1)
    expected = (states["lives"] <= 2) & (highest < 0.97) & (highest > 0.02)
    assert (looked == expected).all()
    assert 0 < looked.sum() < len(looked)
    assert (valued.sum(axis=1) <= 8).all()
    assert ((values[valued] >= 0) & (values[valued] <= 1 + 1e-9)).all()
    # The likeliest letters have values.
    least = np.where(valued, present, 1).min(axis=1)
    assert (least >= 0.02).all()
    assert (np.where(valued, 0, present).max(axis=1) <= least)[looked].all()
    assert np.isnan(model.win_probabilities(states, belief, max_lives=0)).all()
    guesses, greedy = LookAheadAgent(model, max_lives=2).act(states), model.act(states)
    assert (guesses[looked] == np.nanargmax(values[looked], axis=1)).all()
    assert (guesses[~looked] == greedy[~looked]).all()
    assert (guesses != greedy).any()


def test_a_saved_posterior_is_the_same_with_any_share_of_known_words(model, states, tmp_path):
    path = tmp_path / "posterior.safetensors"
    save_posterior(model, path)
    for known in (0.0, 0.5):
        loaded = load_posterior(path, known)
        expected = model.with_prior(known).letter_probabilities(states)
        assert (loaded.letter_probabilities(states) == expected).all()


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[2, 3, 4], [2, 3, 0]], "not sorted by length"),
        ([[2, 3, 4], [2, 3, 4]], r"not sorted\)"),
        ([[2, 3, 28]], "not in letters"),
        ([[2, 3, 1]], "not in letters"),
        ([[0, 0, 0], [2, 3, 4]], "not of 1 to 32 letters"),
    ],
)
def test_a_file_without_a_sorted_list_of_words_is_refused(tmp_path, codes, message):
    path, codes = tmp_path / "posterior.safetensors", np.array(codes, dtype=np.uint8)
    save_posterior(posterior_of(), path)
    words = pack_words(EncodedWords(codes, (codes > 0).sum(axis=1)))
    path.write_bytes(save(load_file(path) | {"words": words}))
    with pytest.raises(InputError, match=rf"not a readable posterior \(words: .*{message}"):
        load_posterior(path)


def test_damaged_files_are_refused_in_one_line(tmp_path):
    path = tmp_path / "posterior.safetensors"
    save_posterior(posterior_of(), path)
    content, tensors = path.read_bytes(), load_file(path)
    for earlier in (tensors | {"format": np.array(1)}, {"windows.reach": np.array(4)}):
        path.write_bytes(save(earlier))
        with pytest.raises(InputError, match="another version; train again"):
            load_posterior(path)
    damaged = [content[: len(content) // 2]]
    for name, array in tensors.items():
        damaged.append(save({other: tensors[other] for other in tensors if other != name}))
        if array.size > 1:
            damaged.append(save(tensors | {name: array[: len(array) // 2].copy()}))
    damaged.append(save(tensors | {"words": np.zeros(10**6, dtype=np.uint8)}))
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"^{path}: not a readable posterior.*\Z"):
            load_posterior(path)
