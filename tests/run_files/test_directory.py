"""The run directory, and damaged files."""

import os
import resource

import numpy as np
import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory, write_text


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with the default name, in the folder of runs."""
    monkeypatch.chdir(tmp_path)
    return RunDirectory.create(Config(name="mine", seed=7))


def test_a_run_is_named_after_game_recipe_seed_and_time(run):
    assert run.path.parent.name == "runs"
    assert run.path.name.startswith("Hangman-v0__mine__7__")
    assert RunDirectory.open(run.path).load_config() == Config(name="mine", seed=7)


def test_hashes_of_a_wrong_type_and_damaged_curves_are_refused(run):
    for array in (np.zeros(3), np.zeros((2, 2), dtype=np.uint64)):
        np.save(run.fitted_words, array)
        with pytest.raises(InputError, match="not a list of word hashes"):
            run.load_fitted_words()
    for line in ("{", "[]", "{}", '{"step": "one"}'):
        run.curves.write_text(f'{{"step": 1}}\n{line}\n')
        with pytest.raises(InputError, match="not readable curves"):
            run.read_curves()


def test_a_run_knows_its_train_words_in_any_order(run):
    words = ("cat", "dog", "ox")
    run.write_split(Config(), "a list", {"train": words, "valid": (), "test": ()})
    assert run.is_split_of(words[::-1])
    assert not run.is_split_of(words[:2])


def test_content_is_flushed_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    path, flushed = tmp_path / "file", []

    def fsync(number):
        # Fails if the file is open for reading alone, as flushing does on Windows.
        os.write(number, b"")
        flushed.append((os.fstat(number).st_size, path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    write_text(path, "new")
    assert flushed == [(3, False)]


def test_a_full_disk_keeps_the_old_content(tmp_path):
    path = tmp_path / "file"
    write_text(path, "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    try:
        with pytest.raises(InputError, match="the old content is kept"):
            write_text(path, "new" * 1_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("file", "old")]
