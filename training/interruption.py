"""Ctrl-C as a wish to stop, which a run hears at its next checkpoint."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType

from rich.console import Console


class Interrupted(KeyboardInterrupt):
    """The run in the folder was asked to stop; its checkpoint is written."""


class StopRequest:
    """Whether Ctrl-C was pressed while the ``with`` block lasts; the second one is final.

    Parameters
    ----------
    console : Console
    """

    def __init__(self, console: Console) -> None:
        self.is_made = False
        self._console = console
        # Python hands signals to the main thread, which need not be this run's.
        self._hears = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._hears:
            self._previous = signal.signal(signal.SIGINT, self._make)

    def __exit__(self, *error: object) -> None:
        if self._hears:
            signal.signal(signal.SIGINT, self._previous)

    def _make(self, signum: int, frame: FrameType | None) -> None:
        if self.is_made:
            raise KeyboardInterrupt
        self.is_made = True
        self._console.print("stopping: saving a checkpoint (Ctrl-C again to give up on it)")

    def heed(self, path: Path) -> None:
        """Raise ``Interrupted`` if it is made; call it when a checkpoint is written."""
        if self.is_made:
            raise Interrupted(path)
