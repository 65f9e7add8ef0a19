"""The run directory and atomic writes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import hash_words
from hangman_lab.run_files.config import Config, load_config
from hangman_lab.run_files.options import dump_config, read_options

if TYPE_CHECKING:
    import pandas

RUNS_DIRECTORY = Path("runs")
# The run directory of the pretrained policy, without training files.
PRETRAINED = Path(__file__).resolve().parent.parent / "pretrained" / "web2"


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call ``write`` on a temporary file, then move it to ``path``.

    At any time, ``path`` has either its complete old content or its complete new content. Raises
    InputError if ``write`` raises OSError; after any error, ``path`` is unchanged. A link is kept.
    """
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        # Opened for writing: Windows flushes no file that is open for reading alone.
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"{path}: cannot write ({error}); the old content is kept") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically; bytes of an argument that are not UTF-8 are kept."""
    write_atomically(path, lambda temporary: temporary.write_text(text, "utf-8", "surrogateescape"))


def create_folder(path: Path) -> Path:
    """Create a folder and return its path; if it exists, ``PATH-2``, ``PATH-3`` and so on is used.

    Raises InputError if the folder cannot be created.
    """
    if not path.name:
        raise InputError(f"{path}: cannot create folder (it has no name)")
    folder, number = path, 1
    while True:
        try:
            folder.mkdir(parents=True)
            return folder
        except OSError as error:
            if not os.path.lexists(folder):
                raise InputError(f"{folder}: cannot create folder ({error.strerror})") from error
            number += 1
            folder = path.with_name(f"{path.name}-{number}")


class RunDirectory:
    """The files of one run, in an existing folder; see :meth:`create` and :meth:`open`."""

    def __init__(self, path: str | Path) -> None:
        self.path = path = Path(path)
        self.config = path / "config.yaml"
        self.command = path / "command.txt"
        self.split = path / "split.json"
        self.fitted_words = path / "fitted_words.npy"
        self.checkpoint = path / "checkpoint.pt"
        self.posterior = path / "posterior.safetensors"
        # Fitted without the held-back train words, for the games of PPO.
        self.held_back_posterior = path / "held_back_posterior.safetensors"
        self.policy = path / "policy.safetensors"
        # The words uncovered by the games of the run, one per line.
        self.uncovered = path / "uncovered.txt"
        self.evaluation = path / "evaluation.json"
        # A line per event: {"step": ..., TensorBoard tag: value, ...}.
        self.curves = path / "curves.jsonl"

    @classmethod
    def create(cls, config: Config, path: Path | None = None) -> RunDirectory:
        """Create a new run directory with its config and command line.

        By default it is ``runs/Hangman-v0__NAME__SEED__TIME``; see :func:`create_folder`.
        """
        if path is None:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            path = RUNS_DIRECTORY / f"Hangman-v0__{config.name}__{config.seed}__{stamp}"
        run = cls(create_folder(path))
        write_text(run.config, dump_config(config))
        write_text(run.command, shlex.join([Path(sys.executable).name, *sys.argv]) + "\n")
        return run

    @classmethod
    def open(cls, path: str | Path) -> RunDirectory:
        """Return the run in an existing folder; raise InputError if it is not that of a run."""
        if not (isinstance(path, str | Path) and str(path)):
            raise InputError(f"path: {path!r} is not the path of a folder")
        run = cls(path)
        if not os.path.isfile(run.config):
            raise InputError(f"{path}: not the folder of a run (it has no config.yaml)")
        return run

    def load_config(self) -> Config:
        """Return the config of the run; raise InputError if it is invalid or incomplete."""
        if missing := Config.model_fields.keys() - read_options(self.config).keys():
            raise InputError(f"{self.config}: incomplete (without {', '.join(sorted(missing))})")
        return load_config(self.config)

    def remove_temporary_files(self) -> None:
        """Remove unfinished files of a killed run."""
        for path in self.path.glob(".*.tmp"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def save_agent(self, agent: Agent) -> None:
        """Write the files of an agent, each atomically; raise InputError if one cannot be written.

        It must not have the name of another file of the run.
        """
        others = {path for path in vars(self).values() if path != self.policy}
        try:
            with TemporaryDirectory(suffix=".tmp", prefix=".", dir=self.path) as folder:
                agent.save(Path(folder))
                for file in sorted(Path(folder).iterdir()):
                    if (path := self.path / file.name) in others:
                        raise InputError(f"{path}: the agent cannot write this file of the run")
                    write_atomically(path, partial(os.replace, file))
        except OSError as error:
            text = f"{self.path}: cannot write ({error}); the old content is kept"
            raise InputError(text) from error

    def write_split(self, config: Config, source: str, parts: Mapping[str, Sequence[str]]) -> None:
        """Write the split and the hashes of the train words."""
        description = {
            "words": source,
            "seed": config.split.seed,
            "fractions": config.split.fractions,
            "counts": {name: len(words) for name, words in parts.items()},
            "checksums": {name: checksum(words) for name, words in parts.items()},
        }
        write_text(self.split, json.dumps(description, indent=2) + "\n")
        self.write_fitted_words(parts["train"])

    def check_split(self, parts: Mapping[str, Sequence[str]], source: str) -> list[str]:
        """Raise InputError if a part has other words than the run was started with.

        Returns the parts of which a run of an earlier version has no checksum but the number.
        """
        try:
            split = json.loads(self.split.read_text())
            sums = split.get("checksums") or {"train": split["train_checksum"]}
            given = {name: (len(words), checksum(words)) for name, words in parts.items()}
            recorded = {
                name: (split["counts"][name], sums.get(name, total))
                for name, (_, total) in given.items()
            }
        except Exception as error:  # arbitrary bytes can raise anything
            raise InputError(f"{self.split}: not the split of a run ({error})") from error
        if changed := " and ".join(name for name in parts if given[name] != recorded[name]):
            raise InputError(f"{source}: its {changed} words are not those of {self.path}")
        return [name for name in parts if name not in sums]

    def write_fitted_words(self, words: Sequence[str]) -> None:
        """Write the hashes of the words that the run is fitted on."""
        content = BytesIO()  # given a file, NumPy can miss that the disk is full
        np.save(content, np.sort(hash_words(words)), allow_pickle=False)
        write_atomically(self.fitted_words, lambda path: path.write_bytes(content.getvalue()))

    def load_fitted_words(self) -> npt.NDArray[np.uint64]:
        """Return the sorted hashes of the fitted words; raise InputError if unreadable."""
        path = self.fitted_words
        try:
            hashes = np.load(BytesIO(path.read_bytes()), allow_pickle=False)
        except Exception as error:  # arbitrary bytes can raise anything
            # NumPy's own text advises to run code from the file.
            why = type(error).__name__
            raise InputError(f"{path}: not a readable list of word hashes ({why})") from error
        is_array = isinstance(hashes, np.ndarray) and hashes.dtype == np.uint64 and hashes.ndim == 1
        if not is_array or (hashes[1:] < hashes[:-1]).any():
            raise InputError(f"{path}: not a readable list of word hashes (a sorted uint64 array)")
        return hashes

    def read_curves(self) -> pandas.DataFrame:
        """Return the curves of the run as a table with a row per step, in ascending order.

        It has the column ``step``, and one per TensorBoard tag, for example ``eval/win_rate``; NaN
        where a tag has no point, and the last one where it has several. An unfinished last line is
        ignored. Raises InputError if the run has no curves, or they are damaged.
        """
        # Imported here because the import takes half a second.
        import pandas

        try:
            text = self.curves.read_text(encoding="utf-8") if self.curves.is_file() else ""
            events = [json.loads(line) for line in text.split("\n")[:-1]]
            if not all(isinstance(event["step"], int) for event in events):
                raise ValueError("a step is not a whole number")
        except (OSError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise InputError(f"{self.curves}: not readable curves ({error})") from error
        if not events:
            raise InputError(f"{self.path}: no learning curves (no events in {self.curves})")
        return pandas.DataFrame(events).groupby("step", as_index=False).last()

    def write_evaluation(self, evaluation: dict[str, Any]) -> None:
        """Write the final evaluation."""
        write_text(self.evaluation, json.dumps(evaluation, indent=2) + "\n")


def checksum(words: Sequence[str]) -> int:
    """Return a checksum of words that does not depend on their order."""
    return zlib.crc32(np.sort(hash_words(words)).tobytes())
