import threading

import pytest

from runs.config import Config
from runs.directory import RunDirectory
from sweeps import posterior_cache
from sweeps.posterior_cache import posterior_key, share_posterior
from sweeps.storage import Storage


def make_run(folder):
    folder.mkdir()
    return RunDirectory(folder)


def fitter(run, fitted):
    def fit():
        fitted.append(run.path.name)
        run.posterior.write_text("posterior")
        run.held_back_posterior.write_text("held back")

    return fit


def test_the_first_trial_fits_and_the_others_take_its_files(tmp_path):
    storage, fitted = Storage(str(tmp_path / "sweep")), []
    runs = [make_run(tmp_path / name) for name in "abc"]
    threads = [
        threading.Thread(target=share_posterior, args=(storage, "key", run, fitter(run, fitted)))
        for run in runs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fitted) == 1
    assert {run.posterior.read_text() for run in runs} == {"posterior"}
    assert {run.held_back_posterior.read_text() for run in runs} == {"held back"}
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_fit_that_failed_is_left_to_the_next_trial(tmp_path):
    storage, fitted = Storage(str(tmp_path / "sweep")), []

    def fail():
        raise MemoryError

    with pytest.raises(MemoryError):
        share_posterior(storage, "key", make_run(tmp_path / "a"), fail)
    run = make_run(tmp_path / "b")
    share_posterior(storage, "key", run, fitter(run, fitted))
    assert fitted == ["b"]


def test_a_run_that_is_written_to_leaves_the_cache_alone(tmp_path):
    from runs.directory import write_text

    storage, fitted = Storage(str(tmp_path / "sweep")), []
    first, second = (make_run(tmp_path / name) for name in "ab")
    share_posterior(storage, "key", first, fitter(first, fitted))
    write_text(first.posterior, "another one")
    share_posterior(storage, "key", second, fitter(second, fitted))
    assert second.posterior.read_text() == "posterior"


def test_the_key_has_all_that_determines_a_posterior(monkeypatch):
    words, config = ("apple", "banana"), Config(threads=1)

    def other(**changes):
        return posterior_key(words, config.model_copy(update=changes))

    key = posterior_key(words, config)
    assert posterior_key(words, config) == key
    # PPO's options and the name do not change it.
    assert other(name="other", discount=0.5) == key
    assert other(seed=1) != key
    monkeypatch.setattr(posterior_cache.numba.config, "NUMBA_NUM_THREADS", 2)
    assert other(threads=2) != key
    assert posterior_key(("apple", "cherry"), config) != key
    monkeypatch.setattr(posterior_cache, "code_version", lambda: "other code")
    assert posterior_key(words, config) != key
