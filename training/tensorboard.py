"""The curves of a training run, for TensorBoard and as JSON lines."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
from stable_baselines3.common.logger import TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.run_files.directory import RunDirectory, write_atomically

_NUM_SAMPLE_GAMES = 5
_NUM_TOP_LETTERS = 5


class TrainingLog(TensorBoardOutputFormat):
    """Writes the curves of a run to TensorBoard and to ``curves.jsonl``, by environment steps.

    What an interrupted run wrote after its last checkpoint is dropped: points from ``first_step``
    on, and the lines beyond ``size``, which :meth:`flush` returned; None keeps all whole lines.
    """

    def __init__(self, run: RunDirectory, first_step: int = 0, size: int | None = 0) -> None:
        self.writer = SummaryWriter(str(run.path), purge_step=first_step)
        self._baseline_folder, self._first_step = run.path / "baselines", first_step
        self._baseline_writers: dict[str, SummaryWriter] = {}
        kept = run.curves.read_bytes()[:size] if run.curves.is_file() else b""
        lines = kept[: kept.rfind(b"\n") + 1]
        write_atomically(run.curves, lambda path: path.write_bytes(lines))
        # Line-buffered, so that a killed process loses nothing.
        self._curves = open(run.curves, "a", buffering=1, encoding="utf-8")  # noqa: SIM115
        self._is_closed = False  # for ``close`` of the base class

    def close(self) -> None:
        """Close the files."""
        super().close()
        for writer in self._baseline_writers.values():
            writer.close()
        self._curves.close()

    def flush(self) -> int:
        """Write all points to the disk; return the size of ``curves.jsonl``."""
        for writer in (self.writer, *self._baseline_writers.values()):
            writer.flush()
        return self._curves.tell()

    def scalars(self, values: dict[str, float], step: int) -> None:
        """Add points to curves."""
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)
        self._curves.write(_line({"step": step} | values))

    def baselines(self, win_rates: dict[str, float], step: int) -> None:
        """Add points to the win rates of other agents, in the chart of the policy's win rate."""
        for name, rate in win_rates.items():
            if name not in self._baseline_writers:
                path = str(self._baseline_folder / name)
                self._baseline_writers[name] = SummaryWriter(path, purge_step=self._first_step)
            self._baseline_writers[name].add_scalar("eval/win_rate", rate, step)
        rates = {f"baselines/{name}": rate for name, rate in win_rates.items()}
        self._curves.write(_line({"step": step} | rates))

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Write the values logged by Stable-Baselines3."""
        super().write(key_values, key_excluded, step)
        hidden = {key for key, formats in key_excluded.items() if "tensorboard" in formats}
        values = {key: value for key, value in key_values.items() if key not in hidden}
        self._curves.write(_line({"step": step} | values))

    def validation(self, played: pd.DataFrame, agent: Agent, rules: Rules, step: int) -> float:
        """Log the games ``played`` on valid words; return the win rate."""
        rate, wrong = float(played.won.mean()), float(played.wrong_guesses.mean())
        self.scalars({"eval/win_rate": rate, "eval/wrong_guesses": wrong}, step)
        self.writer.add_text("eval/sample_games", _describe_games(played, agent, rules), step)
        return rate

    def hyperparameters(self, values: dict[str, Any], final: dict[str, float], step: int) -> None:
        """Write the table of hyperparameters, nested ``values``, with the final metrics."""
        (flat,) = pd.json_normalize(values).to_dict("records")
        shown: Any = {
            key: value if isinstance(value, int | float | str) else str(value)
            for key, value in flat.items()
        }
        # In the folder of the run, not in one that is named by the time.
        self.writer.add_hparams(shown, final, run_name=".", global_step=step)


def _line(event: dict[str, Any]) -> str:
    """Return the finite numbers of an event as a line of JSON."""
    finite = {
        key: value if isinstance(value, int) else float(value)
        for key, value in event.items()
        if isinstance(value, int | float | np.number) and math.isfinite(value)
    }
    return json.dumps(finite) + "\n"


def _describe_games(played: pd.DataFrame, agent: Agent, rules: Rules) -> str:
    """Describe the first games as Markdown, with the policy's top letters, if it tells them."""
    lines = []
    shown = played.head(_NUM_SAMPLE_GAMES)
    for word, won, letters in zip(shown.word, shown.won, shown.letters, strict=True):
        lines.append(f"**{word}**, {'won' if won else 'lost'}\n")
        for turn, letter in enumerate(letters):
            game = Game(word, rules, letters[:turn])
            line = f"    {' '.join(game.word)}   guess {letter}"
            if hasattr(agent, "choice_probabilities"):
                (choices,) = agent.choice_probabilities(game.observations)
                top = np.argsort(-choices)[:_NUM_TOP_LETTERS]
                likeliest = ", ".join(f"{ALPHABET[choice]} {choices[choice]:.0%}" for choice in top)
                line += f"   ({likeliest})"
            lines.append(line)
        lines.append("")
    return "\n".join(lines)
