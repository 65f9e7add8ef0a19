"""The folder of a sweep: on this machine, on a shared file system, or behind a URI."""

from __future__ import annotations

from pathlib import Path

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.directory import numbered_names
from hangman_lab.sweeps.sweep_file import Sweep, parse_sweep

_SWEEP_NAME = "sweep.yaml"


class SweepFolder:
    """The folder of a sweep: Ray Tune's files, the sweep file and the results.

    ``address`` is a path, which is made absolute, or a URI for ``pyarrow.fs.FileSystem.from_uri``.
    InputError if the file system is not supported.
    """

    def __init__(self, address: str) -> None:
        from pyarrow import fs

        address = address.rstrip("/")
        self.address = address if "://" in address else str(Path(address).resolve())
        try:
            self._files, self._path = fs.FileSystem.from_uri(self.address)
        except (OSError, ValueError) as error:
            detail = " ".join(str(error).split())
            raise InputError(f"{address}: no storage that can be used ({detail})") from error

    @classmethod
    def create(cls, sweep: Sweep) -> SweepFolder:
        """Create the folder of a sweep; if it exists, the next free name is used."""
        root = sweep.config.storage.rstrip("/")
        folders = (cls(f"{root}/{name}") for name in numbered_names(sweep.config.name))
        folder = next(folder for folder in folders if not folder._has(""))
        folder.write(_SWEEP_NAME, sweep.dump())
        return folder

    def _has(self, name: str) -> bool:
        try:
            info = self._files.get_file_info(f"{self._path}/{name}".rstrip("/"))
        except OSError as error:
            raise InputError(f"{self.address}: cannot read ({error})") from error
        return info.type.name != "NotFound"

    def load_sweep(self) -> Sweep:
        """Return the sweep of the folder; raise InputError if there is no sweep file."""
        if not self._has(_SWEEP_NAME):
            raise InputError(f"{self.address}: not the folder of a sweep (it has no {_SWEEP_NAME})")
        with self._files.open_input_stream(f"{self._path}/{_SWEEP_NAME}") as file:
            return parse_sweep(file.read().decode())

    def write(self, name: str, text: str) -> None:
        """Write a text file; raise InputError if it cannot be written."""
        try:
            self._files.create_dir(self._path, recursive=True)
            with self._files.open_output_stream(f"{self._path}/{name}") as file:
                file.write(text.encode())
        except OSError as error:
            raise InputError(f"{self.address}: cannot write {name} ({error})") from error
