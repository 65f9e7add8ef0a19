"""TensorBoard curves of a training run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import HParam, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from agents.ppo.agent import PPOAgent
from envs.encoding import ALPHABET, NUM_LETTERS
from envs.hangman.game import Game
from envs.hangman.rendering import masked_word
from evaluation.analysis import reliability
from evaluation.arena import PlayedGames
from evaluation.learning_curves import BASELINE_PREFIX
from evaluation.plots import draw_reliability
from evaluation.statistics import win_rate_interval

_NUM_SAMPLE_GAMES = 5
_NUM_TOP_LETTERS = 5
# Charts of the tab "custom scalars", which hold several curves; tags are regular expressions.
_LAYOUT = {
    "win rate": {
        "train, valid, baselines": [
            "Multiline",
            [
                "^valid/win_rate$",
                "^valid/known_win_rate$",
                "^rollout/win_rate$",
                f"^{BASELINE_PREFIX}.*$",
            ],
        ],
        "valid with its 95% interval": [
            "Margin",
            ["valid/win_rate", "valid/win_rate_low", "valid/win_rate_high"],
        ],
        "valid by word length": ["Multiline", ["^valid_by_length/.*$"]],
    },
    "calibration": {
        "Brier score and calibration error": [
            "Multiline",
            ["^valid/brier_score$", "^valid/calibration_error$"],
        ],
    },
}


class TrainingLog(TensorBoardOutputFormat):
    """The TensorBoard curves of a run; the horizontal axis is steps of PPO.

    Parameters
    ----------
    folder : Path
    first_step : int
        The first step that is still to come; what an interrupted run wrote from there on is
        hidden.
    """

    def __init__(self, folder: Path, first_step: int = 0) -> None:
        self.writer = SummaryWriter(str(folder), purge_step=first_step)
        self._is_closed = False
        self._baselines: dict[str, float] = {}
        self.writer.add_custom_scalars(_LAYOUT)

    def baselines(self, win_rates: dict[str, float], step: int) -> None:
        """Draw win rates of other agents on the valid words as level curves from now on."""
        self._baselines = win_rates
        self._draw_baselines(step)

    def flush(self) -> None:
        """Put all points on disk, so that a run that goes on from here finds them there."""
        self.writer.flush()

    def logger(self) -> Logger:
        """Return a logger for Stable-Baselines3 that writes here."""
        return Logger(folder=None, output_formats=[self])

    def scalars(self, values: dict[str, float], step: int) -> None:
        """Add points to curves."""
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def validation(self, played: PlayedGames, agent: PPOAgent, step: int) -> float:
        """Record games on valid words: win rates, letters, calibration, sample games.

        Returns
        -------
        float
            The win rate.
        """
        rate = float(played.won.mean())
        low, high = win_rate_interval(int(played.won.sum()), len(played))
        self.scalars(
            {
                "valid/win_rate": rate,
                "valid/win_rate_low": low,
                "valid/win_rate_high": high,
                "valid/wrong_guesses": float(played.wrong_guesses.mean()),
                "valid/episode_length": float(played.num_guesses.mean()),
            },
            step,
        )
        for length in np.unique(played.lengths):
            won = played.won[played.lengths == length]
            self.writer.add_scalar(f"valid_by_length/{length:02d}_letters", won.mean(), step)
        letters = played.letters[played.letters >= 0]
        self.writer.add_histogram("valid/letters", letters, step, bins=np.arange(-0.5, NUM_LETTERS))
        self._draw_baselines(step)
        self._calibration(played, agent, step)
        self.writer.add_text("valid/sample_games", _describe_games(played, agent), step)
        self.writer.flush()
        return rate

    def _draw_baselines(self, step: int) -> None:
        self.scalars(
            {BASELINE_PREFIX + name: level for name, level in self._baselines.items()}, step
        )

    def _calibration(self, played: PlayedGames, agent: PPOAgent, step: int) -> None:
        figures = reliability(played, agent)
        self.scalars(
            {
                "valid/brier_score": figures["brier"],
                "valid/calibration_error": figures["expected_calibration_error"],
            },
            step,
        )
        self.writer.add_figure(
            "valid/reliability",
            draw_reliability(
                {"policy": figures}, f"{len(played):,} games on valid words, step {step:,}"
            ),
            step,
        )

    def hyperparameters(self, values: dict[str, Any], final: dict[str, float], step: int) -> None:
        """Write the table of hyperparameters with the final figures."""
        table = HParam(values, final)
        super().write({"hyperparameters": table}, {"hyperparameters": ()}, step)
        self.scalars(final, step)
        self.writer.flush()


def flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested options as one table: ``{"ppo.steps": 1000}``; lists as text."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = (
                value if isinstance(value, bool | int | float | str) else str(value)
            )
    return flat


def _describe_games(played: PlayedGames, agent: PPOAgent) -> str:
    """Replay the first games as Markdown, with the top letters of each turn.

    These are the policy's: how likely it chooses the letter, and how likely the letter is in the
    hidden part of the word.
    """
    lines = ["top letters: chosen by the policy / in the hidden part of the word\n"]
    for index in range(min(_NUM_SAMPLE_GAMES, len(played))):
        game = Game(played.words[played.word_index[index]], played.max_wrong)
        lines.append(f"**{game.secret}**, {'won' if played.won[index] else 'lost'}\n")
        letters = played.letters[index]
        for guess in letters[letters >= 0]:
            choices = agent.choice_probabilities(game.observations)[0]
            chances = agent.letter_probabilities(game.observations)[0]
            top = ", ".join(
                f"{ALPHABET[letter]} {choices[letter]:.0%}/{chances[letter]:.0%}"
                for letter in np.argsort(-choices)[:_NUM_TOP_LETTERS]
            )
            shown = masked_word(game.observation)
            lines.append(f"    {shown}   guess {ALPHABET[guess]}   ({top})")
            game.guess(guess)
        lines.append("")
    return "\n".join(lines)
