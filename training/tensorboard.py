"""The curves of a training run, for TensorBoard and as JSON lines."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
from stable_baselines3.common.logger import HParam, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from hangman_lab.agents.ppo.agent import NetworkAgent, PPOAgent
from hangman_lab.envs.encoding import ALPHABET, NUM_LETTERS, letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.evaluation.analysis import reliability
from hangman_lab.evaluation.arena import split_letters
from hangman_lab.evaluation.plots import BASELINE_PREFIX, draw_reliability
from hangman_lab.evaluation.statistics import win_rate_interval
from hangman_lab.run_files.directory import RunDirectory, write_text

_NUM_SAMPLE_GAMES = 5
_NUM_TOP_LETTERS = 5
# Charts of several curves in the tab "custom scalars"; tags are regular expressions.
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
    """Writes the curves of a run to TensorBoard and to ``curves.jsonl``, by environment steps.

    Points that an interrupted run wrote from ``first_step`` on are dropped.
    """

    def __init__(self, run: RunDirectory, first_step: int = 0) -> None:
        self.writer = SummaryWriter(str(run.path), purge_step=first_step)
        kept = [event for event in run.read_curve_events() if event["step"] < first_step]
        write_text(run.curves, "".join(map(_line, kept)))
        # Line-buffered, so that a killed process loses nothing.
        self._curves = open(run.curves, "a", buffering=1, encoding="utf-8")  # noqa: SIM115
        self._is_closed = False
        # Win rates of baselines on valid words, logged as constant curves.
        self.baselines: dict[str, float] = {}
        self.writer.add_custom_scalars(_LAYOUT)

    def logger(self) -> Logger:
        """Return a Stable-Baselines3 logger that writes to this log."""
        return Logger(folder=None, output_formats=[self])

    def close(self) -> None:
        """Close the files."""
        super().close()
        self._curves.close()

    def scalars(self, values: dict[str, float], step: int) -> None:
        """Add points to curves."""
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)
        self._curves.write(_line({"step": step} | values))

    def by_games(self, win_rate: float, games: int) -> None:
        """Add a point to the curve of win rates on valid words by games played."""
        self.writer.add_scalar("valid_by_games/win_rate", win_rate, games)

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Write the values logged by Stable-Baselines3."""
        super().write(key_values, key_excluded, step)
        numbers: dict[str, Any] = {
            key: value
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number)
        }
        self._curves.write(_line({"step": step} | numbers))

    def validation(
        self, played: pd.DataFrame, agent: NetworkAgent, max_wrong: int, step: int
    ) -> float:
        """Log the games ``played`` on valid words; return the win rate."""
        rate = float(played.won.mean())
        low, high = win_rate_interval(int(played.won.sum()), len(played))
        self.scalars(
            {
                "valid/win_rate": rate,
                "valid/win_rate_low": low,
                "valid/win_rate_high": high,
                "valid/wrong_guesses": float(played.wrong_guesses.mean()),
                "valid/episode_length": float(played["guesses"].mean()),
            },
            step,
        )
        by_length = played.groupby("length")["won"].mean()
        self.scalars(
            {f"valid_by_length/{length:02d}_letters": won for length, won in by_length.items()},
            step,
        )
        letters = split_letters(played["letters"])
        self.writer.add_histogram(
            "valid/letters", letters[letters >= 0], step, bins=np.arange(-0.5, NUM_LETTERS)
        )
        levels = {BASELINE_PREFIX + name: level for name, level in self.baselines.items()}
        self.scalars(levels, step)
        if isinstance(agent, PPOAgent):
            self._calibration(played, agent, max_wrong, step)
        self.writer.add_text("valid/sample_games", _describe_games(played, agent, max_wrong), step)
        self.writer.flush()
        return rate

    def _calibration(
        self, played: pd.DataFrame, agent: PPOAgent, max_wrong: int, step: int
    ) -> None:
        statistics = reliability(played, agent, max_wrong)
        errors = {
            "valid/brier_score": statistics["brier"],
            "valid/calibration_error": statistics["expected_calibration_error"],
        }
        self.scalars(errors, step)
        note = f"{len(played):,} games on valid words, step {step:,}"
        figure = draw_reliability({"policy": statistics}, note)
        self.writer.add_figure("valid/reliability", figure, step)

    def hyperparameters(self, values: dict[str, Any], final: dict[str, float], step: int) -> None:
        """Write the table of hyperparameters with the final metrics."""
        table = HParam(values, final)
        super().write({"hyperparameters": table}, {"hyperparameters": ()}, step)
        for name, value in final.items():
            self.writer.add_scalar(name, value, step)
        self.writer.flush()


def _line(event: dict[str, float]) -> str:
    """Return an event as a line of JSON, without values that are not finite."""
    finite = {
        key: value if isinstance(value, int) else float(value)
        for key, value in event.items()
        if math.isfinite(value)
    }
    return json.dumps(finite) + "\n"


def flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested options as a flat dict, ``{"ppo.steps": 1000}``, with lists as text."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value if isinstance(value, int | float | str) else str(value)
    return flat


def _describe_games(played: pd.DataFrame, agent: NetworkAgent, max_wrong: int) -> str:
    """Describe the first games as Markdown, with the policy's top letters in each turn."""
    hidden = " / in the hidden part of the word" if isinstance(agent, PPOAgent) else ""
    lines = [f"top letters: chosen by the policy{hidden}\n"]
    for row in played.head(_NUM_SAMPLE_GAMES).itertuples():
        game = Game(row.word, max_wrong)
        lines.append(f"**{game.secret}**, {'won' if row.won else 'lost'}\n")
        for guess in map(letter_index, row.letters):
            choices = agent.choice_probabilities(game.observations)[0]
            shares = [choices]
            if isinstance(agent, PPOAgent):
                shares.append(agent.letter_probabilities(game.observations)[0])
            top = ", ".join(
                f"{ALPHABET[letter]} " + "/".join(f"{share[letter]:.0%}" for share in shares)
                for letter in np.argsort(-choices)[:_NUM_TOP_LETTERS]
            )
            shown = " ".join(game.word)
            lines.append(f"    {shown}   guess {ALPHABET[guess]}   ({top})")
            game.guess(guess)
        lines.append("")
    return "\n".join(lines)
