"""A sweep with its folder: begun, or gone on with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from envs.errors import InputError
from runs.directory import make_folder, numbered_names
from sweeps.progress import SweepProgress
from sweeps.results import FAILED, FINISHED, STOPPED, status_of
from sweeps.storage import LARGE, Storage
from sweeps.sweep_file import BASE_NAME, SWEEP_NAME, WORDS_NAME, Sweep, Trial, load_sweep
from sweeps.trial import ERROR_NAME, TRIALS

_COPIES = Path("runs/sweeps")


@dataclass(frozen=True)
class Running:
    """A sweep and where it lies."""

    sweep: Sweep
    storage: Storage

    def describe(self) -> str:
        """Return what there is to do, in lines."""
        config = self.sweep.config
        line = (
            f"{self.sweep.num_trials:,} trials: {self.sweep.num_points:,} points, {config.seeds} "
            f"{'seed' if config.seeds == 1 else 'seeds'} each, searcher {config.searcher}, "
            f"scheduler {config.scheduler}"
        )
        ended = self._num_ended()
        return f"{line}; {ended:,} have ended" if ended else line

    def _num_ended(self) -> int:
        folders = (self.storage.folder / TRIALS).glob("*")
        return sum(status_of(folder) in (FINISHED, STOPPED) for folder in folders)

    def is_done(self) -> bool:
        """Return whether every trial is known to have ended."""
        return self._num_ended() == self.sweep.num_trials

    def known_trials(self) -> list[Trial]:
        """Return all trials of a sweep that is done, its chosen points too, without Ray."""
        from sweeps.tuning import all_trials

        return all_trials(self.sweep, self.storage)

    def run(self, cpus: float, console: Console) -> list[Trial]:
        """Run what has not ended on Ray, which is running; return all trials.

        Raises
        ------
        InputError
            If a trial asks for more threads than there are cores.
        """
        from sweeps.tuning import run_trials

        threads = self.sweep.most_threads()
        if threads > cpus:
            raise InputError(
                f"threads: {threads} is more than the {cpus:g} cores that Ray has; set threads"
            )
        for folder in (self.storage.folder / TRIALS).glob("*"):
            if status_of(folder) == FAILED:
                self.storage.remove(f"{TRIALS}/{folder.name}/{ERROR_NAME}")
        with SweepProgress(console, self.sweep.num_trials, self._num_ended()) as progress:
            return run_trials(self.sweep, self.storage, progress)


def start_sweep(sweep: Sweep) -> Running:
    """Make the folder of a sweep; where it exists, a new name is taken.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    root = sweep.config.storage.rstrip("/")
    for name in numbered_names(sweep.config.name):
        storage = Storage(f"{root}/{name}", _COPIES / name)
        if make_folder(storage.folder):
            # Behind a URI there may be one of another machine.
            storage.fetch(SWEEP_NAME)
            if not (storage.folder / SWEEP_NAME).exists():
                break
    try:
        sweep.write(storage.folder)
        for file in (WORDS_NAME, BASE_NAME, SWEEP_NAME):
            if (storage.folder / file).is_file():
                storage.send(file)
    except OSError as error:
        raise InputError(f"{storage.address}: cannot write ({error})") from error
    return Running(sweep, storage)


def continue_sweep(address: str) -> Running:
    """Return the sweep in a folder, or behind a URI.

    Raises
    ------
    InputError
        If there is none.
    """
    address = address.rstrip("/")
    storage = Storage(address, _COPIES / address.rpartition("/")[2])
    for file in (SWEEP_NAME, BASE_NAME, WORDS_NAME):
        storage.fetch(file)
    storage.fetch(TRIALS, LARGE)
    path = storage.folder / SWEEP_NAME
    if not path.is_file():
        raise InputError(f"{address}: not the folder of a sweep (it has no {SWEEP_NAME})")
    words = storage.folder / WORDS_NAME
    sweep = load_sweep(
        path, base=storage.folder / BASE_NAME, words_copy=words if words.is_file() else None
    )
    return Running(sweep, storage)
