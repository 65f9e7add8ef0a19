"""A trial where it runs: a run of ``train.py`` that reports, shares its posterior and resumes."""

from __future__ import annotations

import json
import shutil
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from envs.errors import InputError
from envs.words import DEFAULT_SOURCE, load_word_list
from runs.config import Config
from runs.directory import RunDirectory, write_text
from sweeps.posterior_cache import code_version, posterior_key, share_posterior
from sweeps.storage import Storage
from sweeps.sweep_file import WORDS_NAME
from training.run import TrainingRun

TRIALS = "trials"
# In a run directory: the win rates reported, a line each, and why a trial did not end.
REPORTS_NAME, STOPPED_NAME = "reports.jsonl", "stopped.json"
ERROR_NAME, LOG_NAME = "error.txt", "log.txt"
Report = Callable[[int, float], None]


class TrialRun(TrainingRun):
    """A training run as a trial of a sweep, in the folder ``trials/NAME``.

    ``report`` is called with the step and the win rate on the valid words, after each validation.
    """

    def __init__(
        self, config: Config, storage: Storage, name: str, report: Report, console: Console
    ) -> None:
        super().__init__(config, load_word_list(config.words), console)
        self._storage = storage
        self._name = f"{TRIALS}/{name}"
        self._report = report
        self._reported: dict[int, float] = {}

    def begin_or_go_on(self, folder: Path, command: str) -> None:
        """Go on from the last checkpoint if there is one, else begin."""
        run = RunDirectory(folder)
        if run.checkpoint.is_file():
            self._reported = read_reports(folder)
            write_text(folder / REPORTS_NAME, "".join(map(_line, self._reported.items())))
            for step, win_rate in self._reported.items():
                self._report(step, win_rate)
            self.resume(run)
        else:
            for path in folder.iterdir():
                if path.name != LOG_NAME:
                    path.unlink()
            self.start(RunDirectory.fill(folder, self.config, command))
        self._storage.send(self._name)

    def write_posterior(self) -> None:
        """Take the posterior that another trial has fitted, or fit it for the others."""
        key = posterior_key(self.parts["train"], self.config)
        share_posterior(self._storage, key, self.run, super().write_posterior)

    def save(self, phase: str, state: dict[str, Any]) -> None:
        """Write a checkpoint, and bring it to the storage."""
        super().save(phase, state)
        self._storage.send(self._name)

    def report(self, step: int, win_rate: float) -> None:
        """Pass a win rate on; one that was reported before a restart is not reported again."""
        if step in self._reported:
            return
        self._reported[step] = win_rate
        with open(self.run.path / REPORTS_NAME, "a", encoding="utf-8") as file:
            file.write(_line((step, win_rate)))
        self._report(step, win_rate)


def _line(report: tuple[int, float]) -> str:
    return json.dumps({"step": report[0], "win_rate": report[1]}) + "\n"


def read_reports(folder: Path) -> dict[int, float]:
    """Return the win rates on valid words that a trial has reported, by step."""
    path = folder / REPORTS_NAME
    if not path.is_file():
        return {}
    reports = {}
    # What follows the last line end was cut off by a kill.
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        with suppress(ValueError, KeyError, TypeError):
            report = json.loads(line)
            reports[report["step"]] = report["win_rate"]
    return reports


def run_trial(
    address: str, name: str, options: dict[str, Any], command: str, code: str, report: Report
) -> None:
    """Run a trial to its end, in whatever process and on whatever machine this is.

    What goes wrong in it is written into its folder; only what ends the process reaches Ray.

    Parameters
    ----------
    address : str
        Of the sweep's storage.
    name : str
    options : dict
        The config.
    command, code : str
        The command line and the ``code_version()`` of the sweep.
    report : callable
    """
    storage = Storage(address)
    folder = storage.folder / TRIALS / name
    if storage.is_remote:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    storage.fetch(f"{TRIALS}/{name}")
    (folder / ERROR_NAME).unlink(missing_ok=True)
    try:
        if code_version() != code:
            raise InputError("this machine has other code, or other libraries, than the sweep")
        config = Config.model_validate(options)
        if config.words != DEFAULT_SOURCE:
            storage.fetch(WORDS_NAME)
            config = config.model_copy(update={"words": str(storage.folder / WORDS_NAME)})
        with open(folder / LOG_NAME, "a", encoding="utf-8") as log:
            console = Console(file=log, width=120)
            TrialRun(config, storage, name, report, console).begin_or_go_on(folder, command)
    except Exception as error:
        text = f"{error}\n" if isinstance(error, InputError) else traceback.format_exc()
        write_text(folder / ERROR_NAME, text)
        storage.send(f"{TRIALS}/{name}")
    finally:
        if storage.is_remote:
            shutil.rmtree(folder, ignore_errors=True)
