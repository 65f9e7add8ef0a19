"""The folder of a run: what lies in it, and how files get there in one piece."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.errors import InputError
from envs.words import hash_words
from runs.config import Config, dump_config, load_config

RUNS_DIRECTORY = Path("runs")
# What plays, of a run on the default word list.
PRETRAINED = Path(__file__).resolve().parent.parent / "pretrained" / "web2"


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then put it in the place of ``path``.

    Whatever happens meanwhile, ``path`` holds its old content or the new one, whole.

    Raises
    ------
    InputError
        If the file cannot be written, for want of space for example; ``path`` is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except Exception as error:
        _remove(temporary)
        raise InputError(
            f"{path}: cannot write ({error}); what was saved before is still there"
        ) from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: Path) -> None:
    # Where the folder is not one, there is nothing to remove.
    with suppress(OSError):
        path.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def numbered_names(name: str) -> Iterator[str]:
    """Yield the name, then ``NAME-2``, ``NAME-3`` and so on."""
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def make_folder(path: Path) -> bool:
    """Make a folder; return whether it was not there.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise InputError(f"{path}: cannot make the folder ({error.strerror})") from error
    return True


class RunDirectory:
    """The files of one run.

    Parameters
    ----------
    path : Path
        An existing folder; see :meth:`create` and :meth:`open`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.command = path / "command.txt"
        self.split = path / "split.json"
        self.fitted_words = path / "fitted_words.npy"
        self.checkpoint = path / "checkpoint.pt"
        self.posterior = path / "posterior.safetensors"
        # Of the train words that are not held back: PPO's games are played with it.
        self.held_back_posterior = path / "held_back_posterior.safetensors"
        self.policy = path / "policy.safetensors"
        self.evaluation = path / "evaluation.json"

    @classmethod
    def create(cls, config: Config, path: Path | None = None) -> RunDirectory:
        """Make the folder of a new run; where it exists, a new name is taken.

        Parameters
        ----------
        config : Config
            It is written there, with the command line.
        path : Path, optional
            ``runs/Hangman-v0__NAME__SEED__TIME`` by default.

        Raises
        ------
        InputError
            If the folder cannot be made.
        """
        if path is None:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            path = RUNS_DIRECTORY / f"Hangman-v0__{config.name}__{config.seed}__{stamp}"
        chosen = next(
            name for name in numbered_names(path.name) if make_folder(path.with_name(name))
        )
        command = shlex.join([Path(sys.executable).name, *sys.argv])
        return cls.fill(path.with_name(chosen), config, command)

    @classmethod
    def fill(cls, path: Path, config: Config, command: str) -> RunDirectory:
        """Return the new run in an existing folder, with its config and command line written."""
        run = cls(path)
        write_text(run.config, dump_config(config))
        write_text(run.command, command + "\n")
        return run

    @classmethod
    def open(cls, path: str | Path) -> RunDirectory:
        """Return the run in an existing folder.

        Raises
        ------
        InputError
            If the folder is not that of a run.
        """
        run = cls(Path(path))
        if not run.config.is_file():
            raise InputError(f"{path}: not the folder of a run (it has no config.yaml)")
        return run

    def load_config(self) -> Config:
        """Return the configuration of the run.

        Raises
        ------
        InputError
            If the file is not readable, or that of a run of another version.
        """
        try:
            return load_config(self.config)
        except InputError as error:
            if "'warm_start'" in str(error):
                raise InputError(
                    f"{self.path}: a run of an earlier version, with learned windows; train anew"
                ) from error
            raise

    def remove_temporary_files(self) -> None:
        """Remove what a killed run had not finished writing."""
        for path in self.path.glob(".*.tmp"):
            path.unlink(missing_ok=True)

    def write_split(self, config: Config, source: str, parts: dict[str, Sequence[str]]) -> None:
        """Record the split, and the hashes of the words that the run is fitted on."""
        description = {
            "words": source,
            "seed": config.split.seed,
            "fractions": config.split.fractions,
            "counts": {name: len(words) for name, words in parts.items()},
        }
        write_text(self.split, json.dumps(description, indent=2) + "\n")
        hashes = np.sort(hash_words(parts["train"]))
        write_atomically(self.fitted_words, lambda path: _save_array(path, hashes))

    def load_fitted_words(self) -> npt.NDArray[np.uint64]:
        """Return the sorted hashes of the words that the run was fitted on.

        Raises
        ------
        InputError
            If the file is missing or damaged.
        """
        return load_hashes(self.fitted_words)

    def write_evaluation(self, evaluation: dict[str, Any]) -> None:
        """Record the figures of the run's end."""
        write_text(self.evaluation, json.dumps(evaluation, indent=2) + "\n")


def load_hashes(path: Path) -> npt.NDArray[np.uint64]:
    """Read a file of word hashes; it runs no code from the file.

    Raises
    ------
    InputError
        If the file is missing or damaged.
    """
    try:
        hashes = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path}: not a readable list of word hashes ({error})") from error
    if hashes.dtype != np.uint64 or hashes.ndim != 1:
        raise InputError(f"{path}: not a list of word hashes")
    return hashes


def _save_array(path: Path, array: npt.NDArray) -> None:
    with open(path, "wb") as file:
        np.save(file, array, allow_pickle=False)
