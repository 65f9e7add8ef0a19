"""A training run from its first state to its last line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numba
import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents import make_agent
from agents.posterior.posterior import LetterPosterior, UniformPosterior, load_posterior
from agents.posterior.prior import DEFAULT_KNOWN
from agents.ppo.agent import PPOAgent, load_network, save_network
from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.words import WordList, hash_words, load_word_list
from evaluation.arena import play
from evaluation.comparison import Match, compare_agents
from evaluation.tables import agents_table, print_table
from runs.config import Config
from runs.directory import RunDirectory, write_atomically
from runs.words import split_words
from training.checkpoint import load_checkpoint, save_checkpoint
from training.log import ProgressBar, TrainingLog, flatten
from training.posterior import fit_posterior, hold_back
from training.ppo import get_state, make_model, reward_of, set_state

BASELINES = ("dictionary", "random")
# Train words that are played at the end.
_NUM_KNOWN = 10_000


class Interrupted(Exception):  # noqa: N818 - it is no error
    """The run was asked to stop; its checkpoint is written."""


class TrainingRun:
    """One run: the posterior, PPO, final games.

    Parameters
    ----------
    config : Config
    word_list : WordList
    console : Console

    Raises
    ------
    InputError
        If a part of the split has no word, or the reward's parameters are not its own.
    """

    run: RunDirectory

    def __init__(self, config: Config, word_list: WordList, console: Console) -> None:
        reward_of(config)
        self.config = config
        self.word_list = word_list
        self.console = console
        self.bar = ProgressBar(console)
        words = split_words(config, word_list)
        for name in ("train", "valid", config.final_split):
            words.part(name)
        self.parts = words.parts
        self.stop_requested = False

    def start(self, run: RunDirectory) -> dict[str, Any]:
        """Train from the beginning; return the final evaluation."""
        self.run = run
        self.run.write_split(self.config, self.word_list.source, self.parts)
        # So that a run that is killed before its first state can be resumed too.
        save_checkpoint(self.run.checkpoint, "begun", {})
        return self._train("begun", {})

    def resume(self, run: RunDirectory) -> dict[str, Any]:
        """Go on from the last checkpoint; return the final evaluation.

        Raises
        ------
        InputError
            If there is no usable checkpoint, or the word list is not the run's.
        """
        self.run = run
        if not np.array_equal(
            np.sort(hash_words(self.parts["train"])), self.run.load_fitted_words()
        ):
            raise InputError(
                f"{self.word_list.source}: its train words are not those that "
                f"{self.run.path} was begun with"
            )
        phase, state = load_checkpoint(run.checkpoint)
        run.remove_temporary_files()
        return self._train(phase, state)

    def _train(self, phase: str, state: dict[str, Any]) -> dict[str, Any]:
        numba.set_num_threads(min(self.config.threads, numba.config.NUMBA_NUM_THREADS))
        torch.set_num_threads(self.config.threads)
        # What was logged at the step of a checkpoint was logged before it.
        self.log = TrainingLog(self.run.path, state["step"] + 1 if "step" in state else 0)
        try:
            with self._stop_on_interrupt():
                if phase != "done":
                    self._play_baselines(state.get("step", 0))
                if phase == "begun":
                    self._fit_posterior()
                    phase = "ppo"
                posterior = load_posterior(self.run.posterior)
                if phase == "ppo":
                    self._ppo(posterior, state)
            return self._finish(posterior)
        finally:
            self.log.close()

    def _play_baselines(self, step: int) -> None:
        """Play the valid words with agents that need no training, as levels beside the curves."""
        valid = self.valid_words()
        levels = {}
        for name in BASELINES:
            agent = make_agent(name, self.config.seed).fit(self.parts["train"])
            levels[name] = float(play(agent, valid, self.config.env.max_wrong).won.mean())
        self.log.baselines(levels, step)

    def save(self, phase: str, state: dict[str, Any]) -> None:
        """Write a checkpoint, and all points of the curves up to it."""
        self.log.flush()
        save_checkpoint(self.run.checkpoint, phase, state)

    def _fit_posterior(self) -> None:
        if not self.config.posterior.enabled:
            for path in (self.run.posterior, self.run.held_back_posterior):
                write_atomically(path, UniformPosterior().save)
            return
        self.write_posterior()
        self.save("ppo", {})

    def write_posterior(self) -> None:
        """Fit the posterior of all train words, and that of the words that are not held back.

        A subclass may bring the two files from elsewhere.
        """

        def say(stage: str) -> None:
            self.stop_if_requested()
            self.console.print(f"posterior: {stage}", highlight=False)

        fitted = fit_posterior(self.parts["train"], self.config.seed, say)
        write_atomically(self.run.posterior, fitted.posterior.save)
        write_atomically(self.run.held_back_posterior, fitted.held_back_posterior.save)

    def report(self, step: int, win_rate: float) -> None:
        """Do nothing with the win rate on the valid words; a subclass may pass it on."""

    def _ppo(self, posterior: LetterPosterior | UniformPosterior, state: dict[str, Any]) -> None:
        """Train the policy network; keep the one that wins most valid games."""
        held_back, others = hold_back(self.parts["train"])
        model = make_model(
            self.config, load_posterior(self.run.held_back_posterior), held_back, others
        )
        model.set_logger(self.log.logger())
        best = -1.0
        if state:
            self._restore(partial(set_state, model), state, "ppo")
            best = state["best"]
        options = self.config.ppo
        with self.bar.phase("PPO", options.steps, model.num_timesteps) as bar:
            callback = _BetweenRollouts(self, model, posterior.with_known(options.known), bar, best)
            left = options.steps - model.num_timesteps
            if left > 0:
                model.learn(left, callback=callback, reset_num_timesteps=False)
            callback.at_boundary(last=True)

    def _finish(self, posterior: LetterPosterior | UniformPosterior) -> dict[str, Any]:
        """Play the final words: unseen ones, known ones, and unseen ones that cannot be known."""
        split, seed = self.config.final_split, self.config.seed
        network = load_network(self.run.policy)
        dictionary = make_agent("dictionary").fit(self.parts["train"])
        hashes = hash_words(self.parts["train"])
        evaluations = {}
        for name, part, known in (
            ("unseen", split, DEFAULT_KNOWN),
            ("known", "train", DEFAULT_KNOWN),
            ("excluded", split, 0.0),
        ):
            believed = posterior.with_known(known)
            agents = {
                "ppo": PPOAgent(believed, network),
                "posterior": believed,
                "dictionary": dictionary,
                "random": make_agent("random", seed),
            }
            match = Match(
                agents,
                self._sample(part, _NUM_KNOWN) if part == "train" else self.parts[part],
                self.word_list,
                part,
                seed,
                self.config.env.max_wrong,
                known=known,
                known_words=hashes,
                fitted_words=dict.fromkeys(("ppo", "posterior", "dictionary"), hashes),
            )
            evaluations[name], _ = compare_agents(match)
            print_table(self.console, agents_table(evaluations[name]))
        final = {
            f"final/{agent}_{name}_win_rate": figures["win_rate"]
            for name, figures_of in evaluations.items()
            for agent, figures in figures_of["agents"].items()
        }
        self.log.hyperparameters(flatten(self.config.model_dump()), final, self.config.ppo.steps)
        evaluation = evaluations["unseen"] | {
            name: evaluations[name] for name in ("known", "excluded")
        }
        # The last file: where it is, the run is complete.
        self.run.write_evaluation(evaluation)
        return evaluation

    def _restore(
        self, set_state: Callable[[dict[str, Any]], None], state: dict[str, Any], part: str
    ) -> None:
        try:
            set_state(state[part])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            detail = " ".join(str(error).split())
            raise InputError(
                f"{self.run.checkpoint}: does not fit the run's config ({detail})"
            ) from error

    def valid_words(self) -> list[str]:
        """Return the valid words that are played while training, the same in every run."""
        return self._sample("valid", self.config.validation.games)

    def known_words(self) -> list[str]:
        """Return as many train words, played while training too."""
        return self._sample("train", self.config.validation.games)

    def _sample(self, part: str, games: int) -> list[str]:
        words = np.array(self.parts[part])
        return words[np.argsort(keyed_bits(hash_words(self.parts[part])))[:games]].tolist()

    def stop_if_requested(self) -> None:
        """Raise ``Interrupted`` if Ctrl-C was pressed; call it when a checkpoint is written."""
        if self.stop_requested:
            raise Interrupted(self.run.path)

    @contextmanager
    def _stop_on_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C into a wish to stop, heard at the next boundary; the second one is final."""
        if threading.current_thread() is not threading.main_thread():
            # Python hands signals to the main thread, which is not this run's.
            yield
            return

        def request(signum: int, frame: FrameType | None) -> None:
            if self.stop_requested:
                raise KeyboardInterrupt
            self.stop_requested = True
            self.console.print("stopping: saving a checkpoint (Ctrl-C again to give up on it)")

        previous = signal.signal(signal.SIGINT, request)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)


class _BetweenRollouts(BaseCallback):
    """Validates, selects the best network, and saves, at the boundaries between rollouts."""

    def __init__(
        self,
        training: TrainingRun,
        learner: MaskablePPO,
        posterior: LetterPosterior | UniformPosterior,
        bar: ProgressBar,
        best: float,
    ) -> None:
        super().__init__()
        self._training = training
        self._learner = learner
        self._agent = PPOAgent(posterior, learner.policy.network)
        self._bar = bar
        self._best = best
        self._valid, self._known = training.valid_words(), training.known_words()
        self._note = ""
        # Training games since the last rollout began.
        self._ended = self._won = 0
        self._last = learner.num_timesteps if best >= 0 else -1

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        self._ended += len(ended)
        self._won += sum(self.locals["infos"][game]["won"] for game in ended)
        return True

    def _on_rollout_start(self) -> None:
        if self._ended:
            self._training.log.scalars(
                {"rollout/win_rate": self._won / self._ended},
                self._learner.num_timesteps,
            )
            self._ended = self._won = 0
        self.at_boundary()

    def at_boundary(self, last: bool = False) -> None:
        """Do what is due now that a rollout's updates are done."""
        training, config = self._training, self._training.config
        steps = self._learner.num_timesteps
        if last or self._last < 0 or _passes(self._last, steps, config.validation.every):
            self._validate(steps)
        self._bar.update(steps, self._note)
        due = last or _passes(max(self._last, 0), steps, config.checkpoint_every)
        self._last = steps
        if training.stop_requested or due:
            state: dict[str, Any] = {"step": steps, "best": self._best}
            if last:
                training.save("done", state)
                return
            state["ppo"] = get_state(self._learner)
            training.save("ppo", state)
            training.stop_if_requested()

    def _validate(self, steps: int) -> None:
        training = self._training
        max_wrong, known = training.config.env.max_wrong, training.config.ppo.known
        unseen = training.log.validation(
            play(self._agent, self._valid, max_wrong), self._agent, steps
        )
        fitted = float(play(self._agent, self._known, max_wrong).won.mean())
        training.log.scalars({"valid/known_win_rate": fitted}, steps)
        training.report(steps, unseen)
        self._note = f"unseen {unseen:.1%}, known {fitted:.1%}"
        # The policy is chosen for the games that it is trained for.
        rate = known * fitted + (1 - known) * unseen
        if rate > self._best:
            self._best = rate
            network = self._learner.policy.network
            write_atomically(training.run.policy, lambda path: save_network(network, path))


def _passes(before: int, after: int, every: int) -> bool:
    """Return whether a multiple of ``every`` lies in (before, after]."""
    return before // every != after // every


def train(
    config: Config, console: Console, run_dir: str | Path | None = None
) -> tuple[RunDirectory, dict[str, Any]]:
    """Begin a run; return its folder and the final evaluation."""
    word_list = load_word_list(config.words)
    console.print(word_list.describe(), highlight=False, markup=False, soft_wrap=True)
    training = TrainingRun(config, word_list, console)
    counts = ", ".join(f"{len(words):,} {name}" for name, words in training.parts.items())
    console.print(f"split: {counts}", highlight=False)
    run = RunDirectory.create(config, None if run_dir is None else Path(run_dir))
    console.print(f"run directory: {run.path}", highlight=False, markup=False, soft_wrap=True)
    return run, training.start(run)


def resume(path: str | Path, console: Console) -> tuple[RunDirectory, dict[str, Any]]:
    """Go on with the run in a folder; return it and the final evaluation."""
    run = RunDirectory.open(path)
    config = run.load_config()
    word_list = load_word_list(config.words)
    return run, TrainingRun(config, word_list, console).resume(run)
