"""A training run from its first state to its last line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch
from rich.console import Console

from agents.posterior.posterior import load_posterior
from envs.errors import InputError
from envs.words import WordList, hash_words, load_word_list
from evaluation.console import say
from evaluation.progress import Progress
from runs.config import Config
from runs.directory import RunDirectory, write_atomically
from runs.words import split_words
from training.checkpoint import load_checkpoint, save_checkpoint
from training.interruption import StopRequest
from training.posterior import fit_posterior
from training.ppo import reward_of
from training.stages import make_posterior, play_baselines, play_final_games, train_policy
from training.tensorboard import TrainingLog


def train(
    config: Config, console: Console, run_dir: str | Path | None = None
) -> tuple[RunDirectory, dict[str, Any]]:
    """Begin a run; return its folder and the final evaluation."""
    word_list = load_word_list(config.words)
    say(console, word_list.describe())
    training = TrainingRun(config, word_list, console)
    counts = ", ".join(f"{len(words):,} {name}" for name, words in training.parts.items())
    say(console, f"split: {counts}")
    run = RunDirectory.create(config, None if run_dir is None else Path(run_dir))
    say(console, f"run directory: {run.path}")
    return run, training.start(run)


def resume(path: str | Path, console: Console) -> tuple[RunDirectory, dict[str, Any]]:
    """Go on with the run in a folder; return it and the final evaluation."""
    run = RunDirectory.open(path)
    config = run.load_config()
    return run, TrainingRun(config, load_word_list(config.words), console).resume(run)


class TrainingRun:
    """One run: what its stages share, and their order.

    Parameters
    ----------
    config : Config
    word_list : WordList
    console : Console

    Raises
    ------
    InputError
        If a part of the split has no word, or the reward's parameters are not its own.

    Attributes
    ----------
    parts : dict of str to tuple of str
        The words by part of the split.
    run : RunDirectory
    log : TrainingLog
    progress : Progress
    stop : StopRequest
    """

    run: RunDirectory
    log: TrainingLog

    def __init__(self, config: Config, word_list: WordList, console: Console) -> None:
        reward_of(config)
        self.config = config
        self.word_list = word_list
        self.console = console
        words = split_words(config, word_list)
        self.parts = words.parts
        for name in ("train", "valid", config.final_split):
            words.part(name)
        self.progress = Progress(console)
        self.stop = StopRequest(console)

    def start(self, run: RunDirectory) -> dict[str, Any]:
        """Train from the beginning; return the final evaluation."""
        self.run = run
        run.write_split(self.config, self.word_list.source, self.parts)
        # So that a run that is killed before its first state can be resumed too.
        save_checkpoint(run.checkpoint, "begun", {})
        return self._train("begun", {})

    def resume(self, run: RunDirectory) -> dict[str, Any]:
        """Go on from the last checkpoint; return the final evaluation.

        Raises
        ------
        InputError
            If there is no usable checkpoint, or the word list is not the run's.
        """
        self.run = run
        if not np.array_equal(np.sort(hash_words(self.parts["train"])), run.load_fitted_words()):
            raise InputError(
                f"{self.word_list.source}: its train words are not those that "
                f"{run.path} was begun with"
            )
        phase, state = load_checkpoint(run.checkpoint)
        run.remove_temporary_files()
        return self._train(phase, state)

    def _train(self, phase: str, state: dict[str, Any]) -> dict[str, Any]:
        """Run the stages that follow the last checkpoint."""
        numba.set_num_threads(min(self.config.threads, numba.config.NUMBA_NUM_THREADS))
        torch.set_num_threads(self.config.threads)
        # What was logged at the step of a checkpoint was logged before it.
        self.log = TrainingLog(self.run.path, state["step"] + 1 if "step" in state else 0)
        try:
            with self.progress:
                with self.stop:
                    if phase != "done":
                        play_baselines(self, state.get("step", 0))
                    if phase == "begun":
                        make_posterior(self)
                    posterior = load_posterior(self.run.posterior)
                    if phase != "done":
                        train_policy(self, posterior, state)
                return play_final_games(self, posterior)
        finally:
            self.log.close()

    def write_posterior(self) -> None:
        """Fit the posterior of all train words, and that of the words that are not held back.

        A subclass may bring the two files from elsewhere.
        """

        def say(stage: str) -> None:
            self.stop.heed(self.run.path)
            self.progress.note("posterior", stage)

        fitted = fit_posterior(self.parts["train"], self.config.seed, say)
        write_atomically(self.run.posterior, fitted.posterior.save)
        write_atomically(self.run.held_back_posterior, fitted.held_back_posterior.save)

    def save(self, phase: str, state: dict[str, Any]) -> None:
        """Write a checkpoint, and all points of the curves up to it."""
        self.log.flush()
        save_checkpoint(self.run.checkpoint, phase, state)

    def report(self, step: int, win_rate: float) -> None:
        """Do nothing with the win rate on the valid words; a subclass may pass it on."""
