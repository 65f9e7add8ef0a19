"""The storage of a sweep: a folder, or a URI of which each machine has a copy."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from envs.errors import InputError

# Files of a run that the machine of the command has no use for.
LARGE = ("posterior.safetensors", "held_back_posterior.safetensors", "checkpoint.pt")


class Storage:
    """A folder that all machines of a sweep see.

    A folder of this machine, or a shared one, is worked in as it is. Of a URI each machine has a
    copy: :meth:`fetch` and :meth:`send` bring it up to date; for a folder they do nothing.

    Parameters
    ----------
    address : str
        A path, or a URI that ``pyarrow.fs.FileSystem.from_uri`` takes.
    folder : Path, optional
        Where the copy of a URI lies; a temporary folder if not given.

    Raises
    ------
    InputError
        If there is no such file system.
    """

    def __init__(self, address: str, folder: Path | None = None) -> None:
        self._remote: tuple[Any, Any, str] | None = None
        self._sent: dict[Path, tuple[int, int]] = {}
        if "://" not in address:
            self.folder = Path(address).resolve()
            self.address = str(self.folder)
            return
        self.address = address
        from pyarrow import fs

        try:
            self._remote = fs, *fs.FileSystem.from_uri(address)
        except (OSError, ValueError) as error:
            detail = " ".join(str(error).split())
            raise InputError(f"{address}: no storage that can be used ({detail})") from error
        digest = hashlib.sha256(address.encode()).hexdigest()[:16]
        self.folder = folder or Path(tempfile.gettempdir()) / "hangman-sweeps" / digest

    @property
    def is_remote(self) -> bool:
        """Whether the folder is a copy."""
        return self._remote is not None

    def fetch(self, name: str, without: tuple[str, ...] = ()) -> None:
        """Bring a file or folder here, if it is there; all of it but files of some names."""
        if self._remote is None:
            return
        fs, system, root = self._remote
        found = [system.get_file_info(f"{root}/{name}")]
        if found[0].type == fs.FileType.Directory:
            found = system.get_file_info(fs.FileSelector(f"{root}/{name}", recursive=True))
        for info in found:
            if info.type == fs.FileType.File and info.base_name not in without:
                target = self.folder / info.path[len(root) + 1 :]
                target.parent.mkdir(parents=True, exist_ok=True)
                fs.copy_files(info.path, str(target), system, fs.LocalFileSystem())

    def send(self, name: str) -> None:
        """Put a file or folder there, as far as it has changed since this process sent it."""
        if self._remote is None:
            return
        fs, system, root = self._remote
        path = self.folder / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if not file.is_file() or file.name.endswith(".tmp"):
                continue
            state = file.stat()
            mark = (state.st_mtime_ns, state.st_size)
            if self._sent.get(file) != mark:
                target = f"{root}/{file.relative_to(self.folder)}"
                system.create_dir(target.rpartition("/")[0], recursive=True)
                fs.copy_files(str(file), target, fs.LocalFileSystem(), system)
                self._sent[file] = mark

    def remove(self, name: str) -> None:
        """Remove a file, here and there, if it is there."""
        (self.folder / name).unlink(missing_ok=True)
        if self._remote is not None:
            fs, system, root = self._remote
            if system.get_file_info(f"{root}/{name}").type == fs.FileType.File:
                system.delete_file(f"{root}/{name}")
