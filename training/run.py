"""A training run: the words, what is fitted before the training, the training, final games."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numba
import torch
from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import Progress

from hangman_lab.agents import make_agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import WordList, hash_words, load_word_list
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.preparation import EvaluationSetup
from hangman_lab.evaluation.tables import agents_table
from hangman_lab.run_files.config import Config, FirstRunConfig, FromPlayConfig
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords, draw_words, split_words
from hangman_lab.terminal.console import make_progress, say, stage
from hangman_lab.terminal.tables import print_table
from hangman_lab.training.checkpoint import (
    Interrupted,
    StopRequest,
    load_checkpoint,
    save_checkpoint,
)
from hangman_lab.training.learners.base import FinalTable, Learner, reward_of
from hangman_lab.training.learners.from_play import uncovered_words
from hangman_lab.training.learning import OnValidation, learn
from hangman_lab.training.tensorboard import TrainingLog

# The number of train words in the final games.
_NUM_KNOWN = 10_000


def train(
    config: Config,
    console: Console,
    run_dir: str | Path | None = None,
    *,
    posteriors: Path | None = None,
    on_validation: OnValidation | None = None,
) -> tuple[RunDirectory, dict[str, Any]]:
    """Start a training run; return its directory and the final results.

    If the folder ``run_dir`` exists, the next free name is used. ``posteriors`` is a folder with
    the fitted posteriors of this run, by :meth:`training.posterior.Fitted.save`; by default they
    are fitted. ``on_validation(step, win_rate, run)`` is called after each validation and its
    checkpoint, with the win rate on valid words. Raises InputError if the words, the split, the
    reward or the earlier run of the config cannot be used, and Interrupted after Ctrl-C or SIGTERM.
    """
    word_list = load_word_list(config.words)
    say(console, word_list.describe())
    words = prepare_words(config, word_list)
    counts = ", ".join(f"{len(part):,} {name}" for name, part in words.parts.items())
    say(console, f"split: {counts}")
    run = RunDirectory.create(config, None if run_dir is None else Path(run_dir))
    say(console, f"run directory: {run.path}")
    run.write_split(config, word_list.source, words.parts)
    if posteriors is not None:
        for path in (run.posterior, run.held_back_posterior):
            shutil.copyfile(posteriors / path.name, path)
    # So that a run that is killed early can be resumed.
    save_checkpoint(run.checkpoint, "created" if posteriors is None else "ppo", {})
    with _lock(run):
        return run, _run(run, config, words, console, on_validation)


def resume(
    run_dir: str | Path, console: Console, *, on_validation: OnValidation | None = None
) -> tuple[RunDirectory, dict[str, Any]]:
    """Resume a run from its last checkpoint; see :func:`train`."""
    run = RunDirectory.open(run_dir)
    config = run.load_config()
    words = prepare_words(config, load_word_list(config.words))
    if which := " and ".join(run.check_split(words.parts, words.word_list.source)):
        say(console, f"{run.split}: only the numbers of {which} words could be compared")
    with _lock(run):
        return run, _run(run, config, words, console, on_validation)


@contextmanager
def _lock(run: RunDirectory) -> Iterator[None]:
    """Keep other processes from a run, and name it if it is stopped.

    Raises InputError if another process trains it, and Interrupted for a KeyboardInterrupt.
    """
    try:
        lock = FileLock(run.path / ".lock", timeout=0).acquire()
    except Timeout:
        raise InputError(f"{run.path}: another process trains this run") from None
    except OSError as error:
        raise InputError(f"{run.path}: cannot write ({error.strerror})") from error
    with lock:
        try:
            yield
        except KeyboardInterrupt as stop:
            raise Interrupted(run.path) from stop


def prepare_words(config: Config, word_list: WordList) -> RunWords:
    """Return the words of a run; raise InputError if a part, a reward or a run is unusable."""
    reward_of(config)
    words = split_words(config, word_list)
    for name in ("train", "valid", config.final_split):
        words.part(name)
    if (before := _first_config(config)) is not None:
        reward_of(before)
    elif isinstance(config.learner, FromPlayConfig):
        first = str(config.learner.play.first)
        uncovered = uncovered_words(RunDirectory.open(first))["words"].split()
        if set(uncovered).isdisjoint(words.part("train")):
            raise InputError(
                f"learner.play.first, --from: none of the words that {first} uncovered is one of "
                f"the train words of {word_list.source}"
            )
    return words


def use_threads(config: Config) -> None:
    """Use the threads of a config; the last bits of what is fitted depend on their number."""
    available = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # set when imported
    numba.set_num_threads(min(config.threads, available))
    torch.set_num_threads(config.threads)


def _run(
    run: RunDirectory,
    config: Config,
    words: RunWords,
    console: Console,
    on_validation: OnValidation | None,
) -> dict[str, Any]:
    """Run the steps after the last checkpoint; return the final evaluation."""
    run.remove_temporary_files()
    phase, state = load_checkpoint(run.checkpoint)
    if phase == "created" and (before := _first_config(config)) is not None:
        _play_first(run, before, console)
    use_threads(config)
    learner = config.learner.learner(config, run, words)
    progress, stop = make_progress(console), StopRequest(console)
    # The checkpoint's own step has been logged. Earlier versions have no size of the curves.
    size = state.get("curves") if "step" in state else 0
    log = TrainingLog(run, state.get("step", -1) + 1, size)
    with closing(log), progress:
        with stop:
            if phase in ("created", "play"):
                phase, state = "ppo", learner.fit(state, progress, stop)
                save_checkpoint(run.checkpoint, phase, state)
                stop.raise_if_requested(run.path)
            with stage(progress, "loading", 1, unit=""):
                learner.load()
            if phase == "done":
                steps = state["step"]
            else:
                steps = learn(learner, log, state, progress, stop, on_validation)
            stop.raise_if_requested(run.path)
        evaluations = play_final_games(learner, progress)
        policy = config.learner.agents[0]
        final = {
            f"win_rate/{name}": evaluation["agents"][policy]["win_rate"]
            for name, evaluation in evaluations.items()
        }
        log.hyperparameters(config.model_dump(), final, steps)
    # The last file marks a complete run.
    evaluation = evaluations.pop("unseen") | {"tables": evaluations}
    run.write_evaluation(evaluation)
    return evaluation


def play_final_games(learner: Learner, progress: Progress) -> dict[str, dict[str, Any]]:
    """Play the tables of a learner, print them, and return the evaluations by name."""
    evaluations, tables = {}, learner.final_tables
    with stage(progress, "final games", len(tables), "tables") as advance:
        for table in tables:
            evaluations[table.name] = _play_table(table, learner, progress.console)
            advance(1)
    return evaluations


def _play_table(table: FinalTable, learner: Learner, console: Console) -> dict[str, Any]:
    config, parts = learner.config, learner.words.parts
    part: Sequence[str] = parts[table.part]
    agents = learner.final_agents(table.known)
    agents["dictionary"] = make_agent("dictionary").fit(parts["train"])
    agents["random"] = make_agent("random", config.seed)
    hashes = hash_words(parts["train"])
    setup = EvaluationSetup(
        agents=agents,
        words=part if table.part == config.final_split else draw_words(part, _NUM_KNOWN),
        word_list=learner.words.word_list,
        split=table.part,
        seed=config.seed,
        rules=config.env.rules,
        known=table.known,
        known_words=hashes,
        fitted_words={name: hashes for name in agents if name != "random"},
        host_words=part,
    )
    evaluation = Comparison(setup).to_dict()
    # Agents that share a posterior profit from its cache, so that their speeds are not their own.
    print_table(console, agents_table(evaluation, with_speed=False))
    return evaluation


def _first_config(config: Config) -> Config | None:
    """Return the config of the run before learning from play, or None if there is none to train."""
    first = config.learner.play.first if isinstance(config.learner, FromPlayConfig) else None
    return config.model_copy(update=dict(first)) if isinstance(first, FirstRunConfig) else None


def _play_first(run: RunDirectory, config: Config, console: Console) -> None:
    """Train, or resume, the run before learning from play, in a folder of its own."""
    first = RunDirectory(run.path / "first")
    if not first.checkpoint.is_file():
        shutil.rmtree(first.path, ignore_errors=True)
        train(config, console, first.path)
    elif not first.evaluation.is_file():
        resume(first.path, console)
