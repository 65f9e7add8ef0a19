"""A training run, from top to bottom: words, baselines, posterior, PPO, final games."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from rich.console import Console
from rich.progress import Progress
from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from hangman_lab.agents import make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.posterior import LetterPosterior, LookAheadAgent, load_posterior
from hangman_lab.agents.ppo.agent import (
    NetworkAgent,
    load_network,
    make_policy_agent,
    save_network,
)
from hangman_lab.agents.ppo.network import Network
from hangman_lab.envs.encoding import decode
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.env import HangmanVectorEnv
from hangman_lab.envs.words import DEFAULT_KNOWN, WordList, hash_words, load_word_list
from hangman_lab.evaluation import arena
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.tables import agents_table
from hangman_lab.run_files.config import Config, find_config, load_config
from hangman_lab.run_files.directory import RunDirectory, write_atomically, write_text
from hangman_lab.run_files.words import RunWords, draw_words, split_words
from hangman_lab.terminal.console import make_progress, say, stage
from hangman_lab.terminal.tables import print_table
from hangman_lab.training.checkpoint import (
    Interrupted,
    StopRequest,
    load_checkpoint,
    save_checkpoint,
)
from hangman_lab.training.from_play import Play
from hangman_lab.training.policy import LetterPolicy
from hangman_lab.training.posterior import fit_posterior, hold_back
from hangman_lab.training.ppo import get_state, make_model, reward_of, set_state
from hangman_lab.training.stock import make_stock_model
from hangman_lab.training.tensorboard import TrainingLog, flatten

_BASELINES = ("dictionary", "random")
# Games between two checkpoints while learning from play.
_GAMES_PER_ROUND = 20_000
# The number of train words in the final games.
_NUM_KNOWN = 10_000
# The minimal number of training games for a point of their win rate.
_GAMES_PER_POINT = 50

OnValidation = Callable[[int, float, RunDirectory], None]


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
    reward or the earlier run of the config cannot be used, and Interrupted after Ctrl-C and a
    checkpoint.
    """
    word_list = load_word_list(config.words)
    say(console, word_list.describe())
    words = prepare_words(config, word_list)
    counts = ", ".join(f"{len(part):,} {name}" for name, part in words.parts.items())
    say(console, f"split: {counts}")
    # Validate before anything is written.
    _config_alone(config)
    if config.play.begin_with is not None:
        load_posterior(RunDirectory.open(config.play.begin_with).posterior)
    run = RunDirectory.create(config, None if run_dir is None else Path(run_dir))
    say(console, f"run directory: {run.path}")
    run.write_split(config, word_list.source, words.parts)
    if posteriors is not None:
        for path in (run.posterior, run.held_back_posterior):
            shutil.copyfile(posteriors / path.name, path)
    # So that a run that is killed early can be resumed.
    save_checkpoint(run.checkpoint, "begun" if posteriors is None else "ppo", {})
    return run, _run(run, config, words, console, on_validation)


def resume(
    run_dir: str | Path, console: Console, *, on_validation: OnValidation | None = None
) -> tuple[RunDirectory, dict[str, Any]]:
    """Resume a run from its last checkpoint; see :func:`train`."""
    run = RunDirectory.open(run_dir)
    config = run.load_config()
    words = prepare_words(config, load_word_list(config.words))
    if not run.is_split_of(words.parts["train"]):
        raise InputError(f"{words.word_list.source}: its train words are not those of {run.path}")
    return run, _run(run, config, words, console, on_validation)


def prepare_words(config: Config, word_list: WordList) -> RunWords:
    """Return the words of a run; raise InputError if a part or the reward cannot be used."""
    reward_of(config)
    words = split_words(config, word_list)
    for name in ("train", "valid", config.final_split):
        words.part(name)
    return words


def use_threads(config: Config) -> None:
    """Use the threads of a config; the last bits of what is fitted depend on their number."""
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # set when imported
    numba.set_num_threads(min(config.threads, most))
    torch.set_num_threads(config.threads)


def _run(
    run: RunDirectory,
    config: Config,
    words: RunWords,
    console: Console,
    on_validation: OnValidation | None,
) -> dict[str, Any]:
    """Run the stages after the last checkpoint; return the final evaluation."""
    phase, state = load_checkpoint(run.checkpoint)
    run.remove_temporary_files()
    if phase == "begun" and config.play.games > 0:
        phase, state = "play", _begin_play(run, config, console)
        save_checkpoint(run.checkpoint, phase, state)
    use_threads(config)
    # The checkpoint's own step has been logged.
    log = TrainingLog(run, state.get("step", -1) + 1)
    progress, stop = make_progress(console), StopRequest(console)
    stages = _Stages(run, config, words, log, progress, stop, on_validation)
    posterior = None
    with closing(log), progress:
        with stop:
            if phase == "play":
                phase, state = "ppo", stages.learn_from_play(state)
            if config.play.games > 0:
                stages.words = words.known_to(load_posterior(run.posterior).known_words)
                run.write_fitted_words(stages.words.parts["train"])
            if phase != "done":
                log.baselines = stages.play_baselines()
            if config.posterior.enabled:
                if phase == "begun":
                    stages.fit_posterior(words.parts["train"])
                    stages.save("ppo", {})
                posterior = load_posterior(run.posterior)
            if phase != "done":
                stages.learn(posterior, state)
            stop.raise_if_requested(run.path)
        return stages.play_final_games(posterior)


def _begin_play(run: RunDirectory, config: Config, console: Console) -> dict[str, Any]:
    """Return the initial state of :class:`Play`, with the words of a run or of PPO alone."""
    if config.play.begin_with is not None:
        posterior = load_posterior(RunDirectory.open(config.play.begin_with).posterior)
        write_atomically(run.posterior, posterior.save)
        words = posterior.known_words
        return {"words": "\n".join(words), "num_fitted": len(words), "games": 0}
    alone = RunDirectory(run.path / "alone")
    try:
        if not alone.checkpoint.is_file():
            shutil.rmtree(alone.path, ignore_errors=True)
            train(_config_alone(config), console, alone.path)
        elif not alone.evaluation.is_file():
            resume(alone.path, console)
    except Interrupted as stop:
        raise Interrupted(run.path) from stop
    _, state = load_checkpoint(alone.checkpoint)
    if not state["uncovered"]:
        raise InputError(
            f"play.alone: {state['games']:,} games of PPO alone have uncovered no word; more steps "
            "are needed"
        )
    return {"words": state["uncovered"], "num_fitted": 0, "games": state["games"]}


def _config_alone(config: Config) -> Config:
    """Return the config of PPO alone for a run that learns from play."""
    recipe = load_config(find_config("scratch.yaml"), config.play.alone)
    shared = ("seed", "threads", "words", "split", "final_split", "env")
    return recipe.model_copy(update={name: getattr(config, name) for name in shared})


@dataclass
class _Stages:
    """The stages of a run and their shared state."""

    run: RunDirectory
    config: Config
    words: RunWords
    log: TrainingLog
    progress: Progress
    stop: StopRequest
    on_validation: OnValidation | None

    def evil_words(self, part: Sequence[str]) -> Sequence[str] | None:
        """Return the words of an evil host for games with words of a part."""
        return part if part and self.config.env.host == "evil" else None

    def play(self, agent: Agent, words: Sequence[str], part: Sequence[str], **options: Any) -> Any:
        """Play words of a part by the config; see :func:`evaluation.arena.play`."""
        options["evil_words"] = self.evil_words(part)
        return arena.play(agent, words, self.config.env.max_wrong, **options)

    def play_baselines(self) -> dict[str, float]:
        """Return the win rates of untrained agents on valid words."""
        part = self.words.parts["valid"]
        valid = draw_words(part, self.config.validation.games)
        levels = {}
        with stage(self.progress, "baselines", len(_BASELINES) * len(valid)) as advance:
            for name in _BASELINES:
                agent = make_agent(name, self.config.seed).fit(self.words.parts["train"])
                levels[name] = float(self.play(agent, valid, part, advance=advance).won.mean())
        return levels

    def fit_posterior(self, words: Sequence[str]) -> None:
        """Fit and write the posterior of words, and that without the held-back words."""

        def tell(text: str) -> None:
            self.stop.raise_if_requested(self.run.path)
            say(self.progress.console, f"posterior: {text}")

        with stage(self.progress, "posterior"):
            fit_posterior(words, self.config.seed, tell).save(self.run)

    def learn_from_play(self, state: dict[str, Any]) -> dict[str, Any]:
        """Play with the posterior and refit it as words are uncovered; return PPO's state."""
        options, run = self.config.play, self.run
        env = HangmanVectorEnv(
            options.num_envs,
            autoreset_mode=AutoresetMode.SAME_STEP,
            words=self.words.parts["train"],
            **self.config.env.model_dump(),
        )
        play = Play(env, state, self.config.seed)
        curves = RunDirectory(run.path / "play")
        curves.path.mkdir(exist_ok=True)
        posterior = None
        with (
            closing(TrainingLog(curves, play.games + 1)) as log,
            stage(self.progress, "play", options.games) as advance,
        ):
            advance(play.games)
            while True:
                is_over = play.games >= options.games
                if is_over or play.growth >= options.growth:
                    self.fit_posterior(play.words)
                    play.num_fitted, posterior = len(play.words), None
                self.save("play", play.get_state())
                self.stop.raise_if_requested(run.path)
                if posterior is None:
                    posterior = load_posterior(run.posterior)
                    self._validate_play(log, play, posterior)
                if is_over:
                    break
                # Only words that are not known yet can be uncovered.
                before, agent = play.games, posterior.with_known(0.0)
                rate, known = play.play(agent, min(_GAMES_PER_ROUND, options.games - before))
                advance(play.games - before)
                values = {"rollout/win_rate": rate, "play/known": known}
                log.scalars(values | {"rollout/uncovered": len(play.words)}, play.games)
        state = {"games": play.games, "uncovered": "\n".join(play.words)}
        self.save("ppo", state)
        return state

    def _validate_play(self, log: TrainingLog, play: Play, posterior: LetterPosterior) -> None:
        """Play valid words with the look-ahead; print and log the win rates."""
        fitted = set(play.words)
        words = draw_words(self.words.parts["valid"], self.config.validation.games)
        words = [word for word in words if word not in fitted]
        rates = {}
        for name, known in (("valid/win_rate", DEFAULT_KNOWN), ("valid/excluded_win_rate", 0.0)):
            agent = LookAheadAgent(posterior.with_known(known), self.config.policy.look_ahead_lives)
            rates[name] = float(self.play(agent, words, words).won.mean())
        unseen = rates["valid/win_rate"]
        log.by_games(unseen, play.games)
        log.scalars(rates | {"rollout/uncovered": len(fitted)}, play.games)
        text = f"play: {play.games:,} games, {len(fitted):,} words known, unseen {unseen:.1%}"
        say(self.progress.console, text)

    def learn(self, posterior: LetterPosterior | None, state: dict[str, Any]) -> None:
        """Train the policy network from a state; keep the best one in validation."""
        config, run = self.config, self.run
        train_words, log_interval = self.words.parts["train"], 1
        model: BaseAlgorithm
        to_numpy: Callable[[], Network]
        if config.algorithm == "ppo":
            plays_with = None if posterior is None else load_posterior(run.held_back_posterior)
            model = make_model(config, plays_with, *hold_back(train_words))
            to_numpy = cast(LetterPolicy, model.policy).module.to_numpy
        else:
            text = f"{config.algorithm}: from its first step, since its state is not saved"
            say(self.progress.console, text)
            model, to_numpy, log_interval = make_stock_model(config, train_words)
        believed = None if posterior is None else posterior.with_known(config.ppo.known)
        model.set_logger(Logger(folder=None, output_formats=[self.log]))
        if "ppo" in state:
            try:
                set_state(cast(MaskablePPO, model), state["ppo"])
            except (KeyError, TypeError, ValueError, RuntimeError) as error:
                detail = " ".join(str(error).split())
                text = f"{run.checkpoint}: does not fit the run's config ({detail})"
                raise InputError(text) from error
        left = config.ppo.steps - model.num_timesteps
        with stage(self.progress, config.algorithm.upper(), config.ppo.steps, "steps") as advance:
            advance(model.num_timesteps)
            callback = _ValidationCallback(
                self, model, lambda: make_policy_agent(to_numpy(), believed), state, advance
            )
            if left > 0:
                model.learn(left, callback, log_interval, reset_num_timesteps=False)
            callback.validate_and_checkpoint(last=True)

    def save(self, phase: str, state: dict[str, Any]) -> None:
        """Write a checkpoint, after flushing the curves up to it."""
        self.log.writer.flush()
        save_checkpoint(self.run.checkpoint, phase, state)

    def play_final_games(self, posterior: LetterPosterior | None) -> dict[str, Any]:
        """Play unseen words, known words and, with a posterior, unseen words with ``known`` 0."""
        config = self.config
        network = load_network(self.run.policy)
        dictionary = make_agent("dictionary").fit(self.words.parts["train"])
        evaluations = {}
        tables = [("unseen", config.final_split, DEFAULT_KNOWN), ("known", "train", DEFAULT_KNOWN)]
        if posterior is not None:
            tables.append(("excluded", config.final_split, 0.0))
        if config.play.games > 0:
            tables[1] = ("uncovered", "uncovered", DEFAULT_KNOWN)
            tables.append(("missed", "missed", DEFAULT_KNOWN))
        for name, part, known in tables:
            believed = None if posterior is None else posterior.with_known(known)
            agents: dict[str, Agent] = {config.algorithm: make_policy_agent(network, believed)}
            if believed is not None:
                if lives := config.policy.look_ahead_lives:
                    agents["look-ahead"] = LookAheadAgent(believed, lives)
                agents["posterior"] = believed
            agents |= {"dictionary": dictionary, "random": make_agent("random", config.seed)}
            evaluations[name] = self._compare(agents, part, None if believed is None else known)
        final = {
            f"final/{agent}_{name}_win_rate": statistics["win_rate"]
            for name, evaluation in evaluations.items()
            for agent, statistics in evaluation["agents"].items()
        }
        self.log.hyperparameters(flatten(config.model_dump()), final, config.ppo.steps)
        # The last file marks a complete run.
        evaluation = evaluations.pop("unseen") | evaluations
        self.run.write_evaluation(evaluation)
        return evaluation

    def _compare(self, agents: dict[str, Agent], part: str, known: float | None) -> dict[str, Any]:
        """Play the words of a part, print the table, and return the evaluation."""
        words: Sequence[str] = self.words.parts[part]
        if part != self.config.final_split:
            words = draw_words(words, _NUM_KNOWN)
        hashes = hash_words(self.words.parts["train"])
        match = Match(
            agents,
            words,
            self.words.word_list,
            part,
            self.config.seed,
            self.config.env.max_wrong,
            known=known,
            known_words=hashes,
            fitted_words={name: hashes for name in agents if name != "random"},
            evil_words=self.evil_words(self.words.parts[part]),
        )
        evaluation = Comparison(match, self.progress).to_dict()
        print_table(self.progress.console, agents_table(evaluation))
        return evaluation


class _ValidationCallback(BaseCallback):
    """Validates, keeps the best network and writes checkpoints between rollouts."""

    def __init__(
        self,
        stages: _Stages,
        learner: BaseAlgorithm,
        present_agent: Callable[[], NetworkAgent],
        state: dict[str, Any],
        advance: Callable[[float], None],
    ) -> None:
        super().__init__()
        self._stages = stages
        self._learner = learner
        self._present_agent = present_agent
        # The win rate of the best network; negative before the first validation.
        self._best = state.get("best", -1.0)
        self._advance = advance
        games = stages.config.validation.games
        self._valid = draw_words(stages.words.parts["valid"], games)
        self._known = draw_words(stages.words.parts["train"], games)
        # Training games since the last point of their curve, and of the whole run.
        self._ended = self._won = 0
        self._num_games = state.get("games", 0)
        self._uncovered = set(state.get("uncovered", "").split())
        self._last_step = learner.num_timesteps if self._best >= 0 else -1

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        self._ended += len(ended)
        self._num_games += len(ended)
        infos = [self.locals["infos"][game] for game in ended]
        words = [decode(info["terminal_observation"]["word"]) for info in infos if info["won"]]
        self._won += len(words)
        self._uncovered.update(words)
        return True

    def _on_rollout_start(self) -> None:
        if self._ended >= _GAMES_PER_POINT:
            rate = self._won / self._ended
            self._stages.log.scalars({"rollout/win_rate": rate}, self._learner.num_timesteps)
            self._ended = self._won = 0
        self.validate_and_checkpoint()

    def validate_and_checkpoint(self, last: bool = False) -> None:
        """Validate and write a checkpoint if due; call it after the updates of a rollout."""
        stages, config = self._stages, self._stages.config
        steps, before = self._learner.num_timesteps, self._last_step
        self._last_step = steps
        rates = None
        self._advance(steps - max(before, 0))
        every = config.validation.every
        if last or before < 0 or before // every != steps // every:
            rates = self._validate(steps)
            name = config.algorithm.upper()
            text = f"{name}: {steps:,} steps, unseen {rates[0]:.1%}, known {rates[1]:.1%}"
            say(stages.progress.console, text)
        if rates is not None or stages.stop.is_made:
            state: dict[str, Any] = {"step": steps, "best": self._best, "games": self._num_games}
            state["uncovered"] = "\n".join(sorted(self._uncovered))
            if last:
                write_text(stages.run.uncovered, state["uncovered"] + "\n")
                stages.save("done", state)
            elif config.algorithm == "ppo":
                stages.save("ppo", state | {"ppo": get_state(cast(MaskablePPO, self._learner))})
            if rates is not None and stages.on_validation is not None:
                stages.on_validation(steps, rates[0], stages.run)
            if not last:
                stages.stop.raise_if_requested(stages.run.path)

    def _validate(self, steps: int) -> tuple[float, float]:
        """Play, log, and keep the best network; return the unseen and the known win rate."""
        stages = self._stages
        max_wrong, share = stages.config.env.max_wrong, stages.config.ppo.known
        parts, agent = stages.words.parts, self._present_agent()
        played = stages.play(agent, self._valid, parts["valid"])
        unseen = stages.log.validation(played, agent, max_wrong, steps)
        known = float(stages.play(agent, self._known, parts["train"]).won.mean())
        values = {"valid/known_win_rate": known, "rollout/games": self._num_games}
        stages.log.scalars(values | {"rollout/uncovered": len(self._uncovered)}, steps)
        stages.log.by_games(unseen, self._num_games)
        # The mixture of the games that the policy is trained on.
        rate = share * known + (1 - share) * unseen
        if rate > self._best:
            self._best = rate
            write_atomically(stages.run.policy, lambda path: save_network(agent.network, path))
        return unseen, known
