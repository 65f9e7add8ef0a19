"""The run directory, and damaged files."""

import os
import resource
from functools import partial

import numpy as np
import pytest

from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.agents.ppo.agent import save_network
from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import Config, find_config
from hangman_lab.run_files.directory import (
    RunDirectory,
    create_folder,
    write_atomically,
    write_text,
)
from hangman_lab.training.checkpoint import save_checkpoint
from hangman_lab.training.networks import PolicyModule
from tests.agents.posterior.priors import posterior_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with the default name, in the folder of runs."""
    monkeypatch.chdir(tmp_path)
    return RunDirectory.create(Config(name="mine", seed=7))


def test_a_run_is_named_after_game_recipe_seed_and_time(run):
    assert run.path.parent.name == "runs"
    assert run.path.name.startswith("Hangman-v0__mine__7__")
    assert RunDirectory.open(run.path).load_config() == Config(name="mine", seed=7)


def test_a_folder_that_cannot_be_created_or_opened_is_refused(tmp_path):
    assert create_folder(tmp_path / "new") == tmp_path / "new"
    assert create_folder(tmp_path / "new") == tmp_path / "new-2"
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    for path in (tmp_path / "file" / "a", tmp_path / "nowhere" / "a", tmp_path / ("a" * 300)):
        with pytest.raises(InputError, match="cannot create folder"):
            create_folder(path)
        with pytest.raises(InputError, match="not the folder of a run"):
            RunDirectory.open(path)
        with pytest.raises(InputError, match="is neither a file nor"):
            find_config(path)


def test_a_config_without_an_option_is_not_that_of_a_run(run):
    text = run.config.read_text()
    for content in ("", text[: text.index("learner:")], text.replace("seed: 7\n", "", 1)):
        run.config.write_text(content)
        with pytest.raises(InputError, match=r"config\.yaml: incomplete \(without .*\)$"):
            run.load_config()


def test_arguments_that_are_not_utf8_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["train.py", "--run-dir", os.fsdecode(b"a\xff")])
    run = RunDirectory.create(Config(), tmp_path / "run")
    assert b"--run-dir 'a\xff'\n" in run.command.read_bytes()


def test_damaged_hashes_and_curves_are_refused_in_one_line(run):
    run.write_fitted_words(("cat", "dog", "ox"))
    content = run.fitted_words.read_bytes()
    damaged = [b"", b"junk", content[:-3], content.replace(b"(3,)", b"9**9")]
    unsorted = np.array([1, 3, 2, 4], dtype=np.uint64)
    for array in (np.zeros(3), np.zeros((2, 2), dtype=np.uint64), unsorted):
        np.save(run.fitted_words, array)
        damaged.append(run.fitted_words.read_bytes())
    for content in damaged:
        run.fitted_words.write_bytes(content)
        with pytest.raises(
            InputError, match=rf"^{run.fitted_words}: not a readable list of word hashes.*\Z"
        ):
            run.load_fitted_words()
    for line in (b"{", b"[]", b"{}", b'{"step": "one"}', b"\xff"):
        run.curves.write_bytes(b'{"step": 1}\n' + line + b"\n")
        with pytest.raises(InputError, match="not readable curves"):
            run.read_curves()


def test_a_run_knows_its_train_words_in_any_order(run):
    words = ("cat", "dog", "ox")
    run.write_split(Config(), "a list", {"train": words, "valid": (), "test": ()})
    assert run.is_split_of(words[::-1])
    assert not run.is_split_of(words[:2])


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("missing", [1, 500, 2_000])
def test_a_full_disk_keeps_the_old_content(run, missing):
    words = [f"{number:x}" for number in range(1_000)]
    writers = [
        lambda: write_text(run.evaluation, "new" * 1_000),
        lambda: run.write_fitted_words(words),
        lambda: save_checkpoint(run.checkpoint, "ppo", {"array": np.zeros(1_000)}),
        lambda: write_atomically(run.posterior, partial(save_posterior, posterior_of())),
        lambda: write_atomically(run.policy, partial(save_network, PolicyModule().to_numpy())),
    ]
    paths = (run.evaluation, run.fitted_words, run.checkpoint, run.posterior, run.policy)
    for path, write in zip(paths, writers, strict=True):
        write()
        size = path.stat().st_size
        path.write_text("old")
        before = files_in(run.path)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size - missing, limits[1]))
        try:
            with pytest.raises(InputError, match=rf"^.*{path}: .*; the old content is kept\Z"):
                write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert files_in(run.path) == before


@pytest.mark.parametrize("error", [TypeError, KeyboardInterrupt])
def test_an_error_while_writing_keeps_the_old_content(tmp_path, error):
    path = tmp_path / "file"
    write_text(path, "old")

    def write(temporary):
        temporary.write_text("half")
        # Readers see the old file, whole.
        assert path.read_text() == "old"
        raise error

    with pytest.raises(error):
        write_atomically(path, write)
    assert files_in(tmp_path) == {"file": b"old"}
