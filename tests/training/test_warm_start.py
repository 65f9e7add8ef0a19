import numpy as np
import pytest

from envs.encoding import decode
from evaluation.arena import play
from training.config import Config
from training.warm_start import WarmStart


def config_of(**changes):
    warm_start = {
        "states": 64 * 60,
        "num_games": 64,
        "rows_log2": 12,
        "reach": 3,
        "window_dropout": 0.1,
    } | changes.pop("warm_start", {})
    return Config.model_validate({"seed": 3, "warm_start": warm_start, **changes})


def warm_start_of(words, config=None):
    config = config or config_of()
    return WarmStart(config, words, config.warm_start.states)


@pytest.fixture(scope="module")
def words(real_words):
    return real_words[:600]


def finish(warm_start):
    counts = np.zeros(2, dtype=int)
    while not warm_start.done:
        counts += warm_start.update()
    return counts


def test_it_stops_after_its_states_and_has_learned_to_win(words):
    config = config_of(warm_start={"states": 64 * 400, "rows_log2": 16})
    warm_start = warm_start_of(words, config)
    before = play(warm_start.model, words).won.mean()
    finish(warm_start)
    assert warm_start.states == 64 * 400
    assert play(warm_start.model, words).won.mean() > before + 0.15


@pytest.mark.parametrize("stop_after", [1, 30, 59])
def test_going_on_from_a_saved_state_ends_with_the_same_table(words, stop_after):
    whole = warm_start_of(words)
    finish(whole)
    first = warm_start_of(words)
    for _ in range(stop_after):
        first.update()
    state = {name: array.copy() for name, array in first.get_state().items()}
    second = warm_start_of(words)
    second.set_state(state)
    assert second.states == 64 * stop_after
    finish(second)
    assert second.model.table.tobytes() == whole.model.table.tobytes()
    assert np.isfinite(whole.model.table).all()


def test_the_seed_decides(words):
    tables = []
    for seed in (3, 3, 4):
        warm_start = warm_start_of(words, config_of(seed=seed))
        finish(warm_start)
        tables.append(warm_start.model.table.tobytes())
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]


def test_letters_are_never_guessed_twice_and_secrets_come_from_its_words(words):
    warm_start = warm_start_of(words, config_of(warm_start={"exploration": 0.5}))
    allowed = set(words)
    guessed_before = warm_start.get_state()["games._guessed"]
    for _ in range(60):
        warm_start.update()
        state = warm_start.get_state()
        guessed = state["games._guessed"]
        is_new_game = guessed.sum(axis=1) == 0
        # One more letter each turn, or a game that has just begun.
        grown = guessed.sum(axis=1) == guessed_before.sum(axis=1) + 1
        assert (grown | is_new_game).all()
        guessed_before = guessed
        assert {decode(codes) for codes in state["games.secrets"]} <= allowed


def test_a_state_of_other_sizes_is_refused(words):
    state = warm_start_of(words).get_state()
    with pytest.raises((ValueError, KeyError)):
        warm_start_of(words, config_of(warm_start={"num_games": 32})).set_state(state)
    with pytest.raises((ValueError, KeyError)):
        warm_start_of(words, config_of(warm_start={"rows_log2": 11})).set_state(state)
    with pytest.raises(KeyError):
        warm_start_of(words).set_state(
            {name: array for name, array in state.items() if name != "table"}
        )


def test_one_long_game_of_each_kind_stays_finite():
    # Words whose letters are all guessed but one, and the shortest and the longest word.
    words = ("abcdefghijklmnopqrstuvwxyz", "a", "z" * 32)
    config = config_of(env={"max_wrong": 26}, warm_start={"exploration": 1.0})
    warm_start = warm_start_of(words, config)
    finish(warm_start)
    assert np.isfinite(warm_start.model.table).all()
