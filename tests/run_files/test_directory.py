"""The run directory, and damaged files."""

import json
import os
import resource
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.agents.ppo.agent import NetworkAgent
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


def test_the_last_point_of_a_step_counts_and_unfinished_files_are_removed(run):
    run.curves.write_text('{"step": 2, "a": 1}\n{"step": 2, "a": 3}\n{"step": 1, "b": 2}\n{"st')
    assert run.read_curves().set_index("step").a.dropna().to_dict() == {2: 3}
    for name in (".policy.safetensors.99.tmp", "mine.tmp", ".mine"):
        (run.path / name).touch()
    (run.path / ".abc.tmp").mkdir()
    (run.path / ".abc.tmp" / "policy.safetensors").touch()
    run.remove_temporary_files()
    names = {path.name for path in run.path.iterdir()}
    assert names == {"config.yaml", "command.txt", "curves.jsonl", "mine.tmp", ".mine"}


def test_a_run_knows_the_words_of_each_part_in_any_order(run):
    parts = {"train": ("cat", "dog", "ox"), "valid": ("ant", "eel"), "test": ("bee", "tee")}
    run.write_split(Config(), "a list", parts)
    assert run.check_split({name: words[::-1] for name, words in parts.items()}, "a list") == []
    exchanged = parts | {"valid": parts["test"], "test": parts["valid"]}
    other_train, fewer = parts | {"train": ("cat", "dog", "cow")}, parts | {"test": ("bee",)}
    changes = {"train": other_train, "valid and test": exchanged, "test": fewer}
    for changed, words in changes.items():
        with pytest.raises(InputError, match=rf"^new: its {changed} words are not those of .*\Z"):
            run.check_split(words, "new")
    # A run of an earlier version.
    split = json.loads(run.split.read_text())
    split["train_checksum"] = split.pop("checksums")["train"]
    run.split.write_text(json.dumps(split))
    assert run.check_split(parts, "a list") == ["valid", "test"]
    for changed in ("train", "test"):
        with pytest.raises(InputError, match=rf"^new: its {changed} words are not those of .*\Z"):
            run.check_split(changes[changed], "new")
    for content in ("", "[]", "{}", '{"checksums": 1}', '{"checksums": {}, "counts": {}}'):
        run.split.write_text(content)
        with pytest.raises(InputError, match=r"split\.json: not the split of a run .*\Z"):
            run.check_split(parts, "a list")


def test_an_agent_writes_its_files_but_not_those_of_the_run(run):
    contents = {"weights": "1", "policy.safetensors": "2"}
    agent: Any = SimpleNamespace(
        save=lambda folder: [(folder / name).write_text(text) for name, text in contents.items()]
    )
    before = files_in(run.path)
    run.save_agent(agent)
    assert files_in(run.path) == before | {name: text.encode() for name, text in contents.items()}
    before, contents = files_in(run.path), {"config.yaml": "mine"}
    with pytest.raises(InputError, match=rf"^{run.config}: the agent cannot write this file"):
        run.save_agent(agent)
    assert files_in(run.path) == before


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
        lambda: run.save_agent(NetworkAgent(PolicyModule().to_numpy())),
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
            with pytest.raises(InputError, match=rf"{run.path}.*: .*; the old content is kept\Z"):
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
