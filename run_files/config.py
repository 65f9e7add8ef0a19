"""The configuration of a training run: options, defaults and ranges."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, create_model, model_validator

from hangman_lab.envs.encoding import MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.errors import InputError, check_choice
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.rewards import HANGMAN_REWARDS
from hangman_lab.envs.words import DEFAULT_KNOWN, DEFAULT_SOURCE, NAMED_SOURCES, Split
from hangman_lab.run_files.options import (
    Section,
    apply_override,
    read_options,
    rule_fields,
    validate,
)

CONFIG_DIRECTORY = Path(__file__).resolve().parent.parent / "configs"
SWEEP_DIRECTORY = CONFIG_DIRECTORY / "sweeps"
_FOLDERS = {"config": CONFIG_DIRECTORY, "sweep": SWEEP_DIRECTORY}

PathText = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")]


def _resolve_source(source: str) -> str:
    """Return a word list with an absolute path, for commands in other folders."""
    return source if source in NAMED_SOURCES else os.path.abspath(source)


def _reward_name(name: str) -> str:
    check_choice("reward.name", name, HANGMAN_REWARDS)
    return name


class SplitConfig(Section):
    """The disjoint split; see ``envs.words.Split``."""

    seed: int = Field(default=0, ge=0)
    fractions: list[float] = Field(default=[0.9, 0.05, 0.05])

    def make(self) -> Split:
        """Return the split."""
        return Split(self.seed, tuple(self.fractions))


_RulesSection: Any = create_model("_RulesSection", __base__=Section, **rule_fields())


class EnvConfig(_RulesSection):
    """The environment: its rules, and the lengths of words; see ``envs.hangman.env.HangmanEnv``."""

    min_length: int = Field(default=1, ge=1, le=MAX_LENGTH)
    max_length: int = Field(default=MAX_LENGTH, ge=1, le=MAX_LENGTH)

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return Rules().with_options(self)

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.min_length > self.max_length:
            raise ValueError(
                f"env.min_length: {self.min_length} is above env.max_length ({self.max_length})"
            )
        return self


class RewardConfig(Section):
    """The reward, or its name; see ``envs.rewards``. ``parameters`` are those of its class."""

    name: Annotated[str, AfterValidator(_reward_name)] = "potential"
    parameters: dict[str, float] = Field(default={})

    @model_validator(mode="before")
    @classmethod
    def _of_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class LearnerConfig(Section):
    """MaskablePPO of sb3-contrib; other hyperparameters have the defaults of Stable-Baselines3.

    ``steps`` are letters in all ``num_envs`` games together, rounded up to whole rollouts.
    """

    steps: int = Field(default=102_400, ge=1)
    num_envs: int = Field(default=128, ge=2, le=65536)
    rollout_steps: int = Field(default=16, ge=2)
    batch_size: int = Field(default=512, ge=2)
    epochs: int = Field(default=4, ge=1)
    learning_rate: float = Field(default=1e-2, gt=0)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    entropy_coefficient: float = Field(default=0.0, ge=0)
    network: ClassVar[str] = "network"  # the kind of its policy network

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents of a run, its policy first."""
        return ("ppo",)

    @property
    def rollout_size(self) -> int:
        """The steps of a rollout, in all games together."""
        return self.num_envs * self.rollout_steps

    @property
    def total_steps(self) -> int:
        """The steps in whole rollouts."""
        return math.ceil(self.steps / self.rollout_size) * self.rollout_size

    @model_validator(mode="after")
    def _fits_a_rollout(self) -> Self:
        if self.batch_size > self.rollout_size:
            raise ValueError(
                f"learner.batch_size: {self.batch_size} is above a rollout's "
                f"num_envs * rollout_steps ({self.rollout_size})"
            )
        return self


class PPOOnPosteriorConfig(LearnerConfig):
    """PPO on a letter posterior.

    ``known`` is the prior probability of the words that the posterior is fitted on. Half of the
    training games have these words. The words of the others are held back from the posterior,
    except for the probabilities of candidates.
    """

    steps: int = Field(default=102_400, ge=0)
    look_ahead_lives: int = Field(default=3, ge=0, le=NUM_LETTERS)
    known: float = Field(default=DEFAULT_KNOWN, ge=0, le=1)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents of a run, its policy first."""
        # Without look-ahead lives, the look-ahead agent equals the posterior agent.
        return ("ppo", *(("look-ahead",) if self.look_ahead_lives else ()), "posterior")


class PosteriorConfig(PPOOnPosteriorConfig):
    """PPO on the posterior of the train words; see ``training.learners.posterior``."""

    kind: Literal["posterior"] = "posterior"


class WindowsConfig(LearnerConfig):
    """PPO alone, on windows of the masked word; see ``training.learners.windows``.

    ``auxiliary_learning_rate`` is that of the auxiliary phase; 0 leaves the phase out. With
    ``epochs`` 0 there is that phase alone.
    """

    kind: Literal["windows"] = "windows"
    network: ClassVar[str] = "windows"
    epochs: int = Field(default=4, ge=0)
    context: int = Field(default=6, ge=1, le=MAX_LENGTH)
    log_rows: int = Field(default=18, ge=1, le=24)
    auxiliary_learning_rate: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _learns(self) -> Self:
        if self.epochs == 0 and self.auxiliary_learning_rate == 0:
            raise ValueError("learner.epochs: 0 needs a learner.auxiliary_learning_rate above 0")
        return self


class ValidationConfig(Section):
    """Validation during training, for curves and checkpoints."""

    every: int = Field(default=10_240, ge=1)
    games: int = Field(default=1500, ge=1)


class FirstRunConfig(Section):
    """The run before learning from play; its other options are those of the whole run."""

    discount: float = Field(default=1.0, ge=0, le=1)
    reward: RewardConfig = RewardConfig()
    learner: WindowsConfig
    validation: ValidationConfig = ValidationConfig()


class PlayConfig(Section):
    """Learning from play: the posterior is fitted on words uncovered by games.

    ``first`` is the run that uncovers the first words, or the folder of a finished run. The
    posterior then plays ``num_envs`` games at once, and is refitted whenever the number of
    uncovered words has grown by the share ``refit_growth``. ``games`` is the total number of games,
    including those of the first run.
    """

    first: FirstRunConfig | Annotated[PathText, AfterValidator(os.path.realpath)]
    games: int = Field(default=1_800_000, ge=1)
    num_envs: int = Field(default=4096, ge=1, le=65536)
    refit_growth: float = Field(default=0.05, gt=0)


class FromPlayConfig(PPOOnPosteriorConfig):
    """PPO on a posterior learned from play; see ``training.learners.from_play``."""

    kind: Literal["from_play"] = "from_play"
    play: PlayConfig


Learner = Annotated[PosteriorConfig | FromPlayConfig | WindowsConfig, Field(discriminator="kind")]


class Config(Section):
    """A training run."""

    name: str = Field(default="ppo", pattern=r"^[A-Za-z0-9_.-]+$")
    seed: int = Field(default=0, ge=0, lt=2**31)
    threads: int = Field(default=2, ge=1, le=256)
    words: Annotated[PathText, AfterValidator(_resolve_source)] = DEFAULT_SOURCE
    split: SplitConfig = SplitConfig()
    final_split: Literal["test", "valid"] = "test"
    discount: float = Field(default=1.0, ge=0, le=1)
    env: EnvConfig = EnvConfig()
    reward: RewardConfig = RewardConfig()
    learner: Learner = PosteriorConfig()
    validation: ValidationConfig = ValidationConfig()

    def with_words(self, source: str) -> Config:
        """Return the config with another word list; raise InputError if it cannot be a path."""
        return validate(Config, self.model_dump() | {"words": source}, "--words")


def find_config(name: str | Path, kind: str = "config") -> Path:
    """Return the path of a file, or of a file in configs/ or configs/sweeps/, by name.

    ``kind`` is "config" or "sweep". Raises InputError if the file does not exist.
    """
    folder = _FOLDERS[kind]
    for path in (Path(name), folder / name):
        if os.path.isfile(path):
            return path
    where = folder.relative_to(CONFIG_DIRECTORY.parent)
    known = ", ".join(sorted(path.name for path in folder.glob("*.yaml")))
    raise InputError(f"{kind} {str(name)!r} is neither a file nor one of {where}/ ({known})")


def load_config(
    path: str | Path, overrides: Sequence[str] = (), given: Mapping[str, str] | None = None
) -> Config:
    """Load a config from YAML and apply overrides; raise InputError if anything is invalid.

    ``given`` is how overrides were typed, by key; by default as ``--set key.sub=value``.
    """
    values = read_options(path)
    typed = {apply_override(values, text): f"--set {text}" for text in overrides}
    return validate(Config, values, path, typed | dict(given or {}))
