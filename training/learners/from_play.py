"""Learning from play: the posterior of words that games uncover."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from rich.progress import Progress

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.agents.posterior.posterior import LookAheadAgent
from hangman_lab.envs.encoding import check_words, decode
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.vector import HangmanVectorEnv
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.config import FromPlayConfig
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import draw_words
from hangman_lab.terminal.console import say, stage
from hangman_lab.training.checkpoint import StopRequest, load_checkpoint, save_checkpoint
from hangman_lab.training.learners.base import FinalTable
from hangman_lab.training.learners.posterior import PosteriorLearner
from hangman_lab.training.learning import play_part
from hangman_lab.training.tensorboard import TrainingLog

# Games between two checkpoints.
_GAMES_PER_ROUND = 20_000


class Play:
    """Plays games in an environment and collects the words that they uncover.

    Words are learned from observations only: a won game ends with the whole word shown. Only
    ``reset`` and ``step`` of the environment are used and, for checkpoints, ``get_state`` and
    ``set_state``; it has ``AutoresetMode.SAME_STEP``. ``state`` is from
    :meth:`get_state`; at the start, it has no ``env``.
    """

    def __init__(self, env: HangmanVectorEnv, state: dict[str, Any], seed: int = 0) -> None:
        self._env, self._seed = env, seed
        self._observations, _ = env.reset(seed=seed)
        if "env" in state:
            self._observations = env.set_state(state["env"])
        self._rank = {word: rank for rank, word in enumerate(state["words"].split())}
        self.num_fitted, self.games = state["num_fitted"], state["games"]

    @property
    def words(self) -> list[str]:
        """The uncovered words in order of discovery."""
        return list(self._rank)

    @property
    def growth(self) -> float:
        """The number of words that are not fitted yet, relative to the fitted ones."""
        return len(self._rank) / self.num_fitted - 1 if self.num_fitted else float("inf")

    def play(self, agent: PosteriorAgent, num_games: int) -> tuple[float, float]:
        """Play until ``num_games`` more games have ended.

        Letters are sampled in proportion to their odds, so that a lost word is played differently
        the next time. Returns the win rate, and the share of games that uncovered a fitted word.
        """
        generator = np.random.default_rng([self._seed, self.games])
        ended = won = with_fitted = 0
        while ended < num_games:
            present = agent.letter_probabilities(self._observations).clip(1e-6, 1 - 1e-6)
            # The largest score with Gumbel noise is a sample in proportion to the odds.
            scores = np.log(present / (1 - present)) + generator.gumbel(size=present.shape)
            scores[self._observations["guessed"] != 0] = -np.inf
            actions = scores.argmax(axis=1)
            self._observations, _, terminated, _, infos = self._env.step(actions)
            if not terminated.any():
                continue
            ended += int(terminated.sum())
            for game in np.flatnonzero(terminated & infos["final_info"]["won"]):
                won += 1
                word = decode(infos["final_obs"][game]["word"])
                with_fitted += self._rank.setdefault(word, len(self._rank)) < self.num_fitted
        self.games += ended
        return won / ended, with_fitted / ended

    def get_state(self) -> dict[str, Any]:
        """Return the state for checkpoints."""
        return {
            "env": self._env.get_state(),
            "words": "\n".join(self._rank),
            "num_fitted": self.num_fitted,
            "games": self.games,
        }


class FromPlayLearner(PosteriorLearner):
    """Fits the posterior to the words that games uncover, and trains a policy on it."""

    options: FromPlayConfig

    def fit(self, state: dict[str, Any], progress: Progress, stop: StopRequest) -> dict[str, Any]:
        """Play with the posterior, and refit it as words are uncovered."""
        options, run, words = self.options.play, self.run, self.words.parts["train"]
        env = HangmanVectorEnv(
            options.num_envs,
            autoreset_mode=AutoresetMode.SAME_STEP,
            words=words,
            **self.config.env.model_dump(),
        )
        first = options.first if isinstance(options.first, str) else run.path / "first"
        play = Play(env, state or uncovered_words(RunDirectory.open(first)), self.config.seed)
        curves = RunDirectory(run.path / "play")
        curves.path.mkdir(exist_ok=True)
        # The win rate of the last games, and the share of them that uncovered a fitted word.
        rates: dict[str, float] = state.get("rates", {})
        if play.num_fitted:
            super().load()
        with (
            closing(TrainingLog(curves, play.games, state.get("curves") if state else 0)) as log,
            stage(progress, "play", options.games) as advance,
        ):
            advance(play.games)
            while True:
                # What follows a checkpoint, a fit for example, is repeated when resumed from it.
                state = play.get_state() | {"rates": rates, "curves": log.flush()}
                save_checkpoint(run.checkpoint, "play", state)
                stop.raise_if_requested(run.path)
                if rates:
                    log.scalars(rates | {"rollout/uncovered": len(play.words)}, play.games)
                is_over = play.games >= options.games
                if is_over or play.growth >= options.refit_growth:
                    self._fit_posterior(play.words, progress, stop)
                    play.num_fitted = len(play.words)
                    super().load()
                    self._validate(log, play, progress)
                if is_over:
                    break
                if options.draw == "missing":
                    env.prefer(set(words).difference(play.words))
                # Only words that are not known yet can be uncovered.
                before, agent = play.games, self.posterior.with_prior(0.0)
                rate, known = play.play(agent, min(_GAMES_PER_ROUND, options.games - before))
                advance(play.games - before)
                rates = {"rollout/win_rate": rate, "play/known": known}
        return {"games": play.games, "uncovered": "\n".join(play.words)}

    def _validate(self, log: TrainingLog, play: Play, progress: Progress) -> None:
        """Play valid words with the look-ahead; print and log the win rates."""
        fitted, config = set(play.words), self.config
        words = draw_words(self.words.parts["valid"], config.validation.games)
        words = [word for word in words if word not in fitted]
        rates: dict[str, float] = {}
        for name, known in (("eval/win_rate", DEFAULT_KNOWN), ("eval/excluded_win_rate", 0.0)):
            agent = LookAheadAgent(self.posterior.with_prior(known), self.options.look_ahead_lives)
            rates[name] = float(play_part(config, agent, words, words).won.mean())
        unseen = rates["eval/win_rate"]
        log.writer.add_scalar("win_rate_by_games/eval", unseen, play.games)
        log.scalars(rates | {"rollout/uncovered": len(fitted)}, play.games)
        counts = f"{play.games:,} games, {len(fitted):,} known words"
        say(progress.console, f"play: {counts}, {unseen:.1%} of unseen words won")

    def load(self) -> None:
        """Load the posterior, whose known words are the train words from now on."""
        super().load()
        self.words = self.words.known_to(self.posterior.known_words)
        self.run.write_fitted_words(self.words.parts["train"])

    @property
    def final_tables(self) -> list[FinalTable]:
        """Those of the posterior, with the uncovered and the missed train words."""
        unseen, _, excluded = super().final_tables
        uncovered = FinalTable("uncovered", "uncovered", DEFAULT_KNOWN)
        missed = FinalTable("missed", "missed", DEFAULT_KNOWN)
        return [unseen, uncovered, excluded, missed]


def uncovered_words(run: RunDirectory) -> dict[str, Any]:
    """Return the initial state of :class:`Play`: the words that the games of a run uncovered.

    Raises InputError if there are none, or the run is not finished.
    """
    phase, state = load_checkpoint(run.checkpoint)
    if phase != "done":
        raise InputError(f"learner.play.first, --from: the training of {run.path} is not finished")
    words = str(state.get("uncovered", ""))
    check_words(words.split(), name=str(run.checkpoint))
    if not words.strip():
        raise InputError(
            f"learner.play.first, --from: the games of {run.path} have uncovered no word; more "
            "steps are needed"
        )
    return {"words": words, "num_fitted": 0, "games": int(state.get("games", 0))}
