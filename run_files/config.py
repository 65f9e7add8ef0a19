"""The configuration of a training run: options, defaults and ranges."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializeAsAny,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

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


def _check_kind(kind: Any, info: ValidationInfo) -> str:
    _find_options(kind, info.context)
    return kind


class LearnerOptions(Section):
    """What a run needs to know of any learner; the options of an algorithm are in a subclass.

    ``kind`` names a learner of :data:`LEARNERS`, or is the import path of a subclass of
    ``training.learners.base.Learner``, ``module:Class``, whose ``Options`` are those of the run.
    ``steps`` are letters in all ``num_envs`` games together, rounded up to whole rollouts. The host
    draws the share ``missing_share`` of the words from those that no game has won yet.
    """

    kind: Annotated[str, BeforeValidator(_check_kind)]
    steps: int = Field(default=102_400, ge=1)
    num_envs: int = Field(default=128, ge=2, le=65536)
    missing_share: float = Field(default=0.0, ge=0, le=1)
    #: The import path of the learner, if it is not the kind.
    import_path: ClassVar[str | None] = None

    @classmethod
    def select(cls, values: Any, folder: str | None = None) -> type[Section]:
        """Return the options of the learner that ``values`` name."""
        try:
            return _find_options(values["kind"], folder)
        except (LookupError, TypeError, PydanticCustomError):
            return cls

    @property
    def learner(self) -> Any:
        """The class of the learner, imported."""
        module, _, name = (self.import_path or self.kind).partition(":")
        return getattr(import_module(module), name)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents of a run, its policy first."""
        return ("ppo",)

    @property
    def rollout_size(self) -> int:
        """The steps of a rollout, in all games together."""
        return self.num_envs

    @property
    def total_steps(self) -> int:
        """The steps in whole rollouts."""
        return math.ceil(self.steps / self.rollout_size) * self.rollout_size


class PPOOptions(LearnerOptions):
    """MaskablePPO of sb3-contrib; other hyperparameters have the defaults of Stable-Baselines3."""

    rollout_steps: int = Field(default=16, ge=2)
    batch_size: int = Field(default=512, ge=2)
    epochs: int = Field(default=4, ge=1)
    learning_rate: float = Field(default=1e-2, gt=0)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    entropy_coefficient: float = Field(default=0.0, ge=0)

    @property
    def rollout_size(self) -> int:
        """The steps of a rollout, in all games together."""
        return self.num_envs * self.rollout_steps

    @model_validator(mode="after")
    def _fits_a_rollout(self) -> Self:
        if self.batch_size > self.rollout_size:
            raise ValueError(
                f"learner.batch_size: {self.batch_size} is above a rollout's "
                f"num_envs * rollout_steps ({self.rollout_size})"
            )
        return self


class PPOOnPosteriorConfig(PPOOptions):
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

    kind: str = "posterior"
    import_path: ClassVar[str] = "hangman_lab.training.learners.posterior:PosteriorLearner"


class WindowsConfig(PPOOptions):
    """PPO alone, on windows of the masked word; see ``training.learners.windows``.

    ``auxiliary_learning_rate`` is that of the auxiliary phase; 0 leaves the phase out. With
    ``epochs`` 0 there is that phase alone.
    """

    kind: str = "windows"
    import_path: ClassVar[str] = "hangman_lab.training.learners.windows:WindowsLearner"
    epochs: int = Field(default=4, ge=0)
    context: int = Field(default=6, ge=1, le=MAX_LENGTH)
    log_rows: int = Field(default=18, ge=1, le=24)
    auxiliary_learning_rate: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _learns(self) -> Self:
        if self.epochs == 0 and self.auxiliary_learning_rate == 0:
            raise ValueError("learner.epochs: 0 needs a learner.auxiliary_learning_rate above 0")
        return self


def _of_kind(values: Any, info: ValidationInfo) -> Any:
    """Validate the options of a learner by its kind."""
    if not isinstance(values, dict):
        return values
    options = LearnerOptions.select(values, info.context)
    return options.model_validate({"kind": None} | values, context=info.context)


Learner = Annotated[SerializeAsAny[LearnerOptions], BeforeValidator(_of_kind)]


class ValidationConfig(Section):
    """Validation during training, for curves and checkpoints."""

    every: int = Field(default=10_240, ge=1)
    games: int = Field(default=1500, ge=1)


def _without_posterior(learner: LearnerOptions) -> LearnerOptions:
    if isinstance(learner, PPOOnPosteriorConfig):
        raise ValueError(f"the kind {learner.kind!r} begins with the train words")
    return learner


class FirstRunConfig(Section):
    """The run before learning from play; its other options are those of the whole run."""

    discount: float = Field(default=1.0, ge=0, le=1)
    reward: RewardConfig = RewardConfig()
    learner: Annotated[Learner, AfterValidator(_without_posterior)]
    validation: ValidationConfig = ValidationConfig()


class PlayConfig(Section):
    """Learning from play: the posterior is fitted on words uncovered by games.

    ``first`` is the run that uncovers the first words, or the folder of a finished run. The
    posterior then plays ``num_envs`` games at once, and is refitted whenever the number of
    uncovered words has grown by the share ``refit_growth``. ``games`` is the total number of games,
    including those of the first run. The host draws ``all`` words alike, or only those that no game
    has uncovered (``missing``).
    """

    first: FirstRunConfig | Annotated[PathText, AfterValidator(os.path.realpath)]
    games: int = Field(default=1_200_000, ge=1)
    num_envs: int = Field(default=4096, ge=1, le=65536)
    refit_growth: float = Field(default=0.05, gt=0)
    draw: Literal["missing", "all"] = "missing"


class FromPlayConfig(PPOOnPosteriorConfig):
    """PPO on a posterior learned from play; see ``training.learners.from_play``."""

    kind: str = "from_play"
    import_path: ClassVar[str] = "hangman_lab.training.learners.from_play:FromPlayLearner"
    play: PlayConfig


LEARNERS: dict[str, type[LearnerOptions]] = {
    options.model_fields["kind"].default: options
    for options in (PosteriorConfig, FromPlayConfig, WindowsConfig)
}


def _find_options(kind: Any, folder: str | None = None) -> type[LearnerOptions]:
    """Return the options of a learner, imported from ``folder`` or Python's path.

    Raises PydanticCustomError if there is no such learner, and RuntimeError for an exception of its
    module.
    """
    if isinstance(kind, str) and kind in LEARNERS:
        return LEARNERS[kind]
    allowed = f"it is one of {', '.join(LEARNERS)}, or an import path, module:Class"
    if isinstance(kind, str) and re.fullmatch(r"\w[\w.]*:\w+", kind):
        module, _, name = kind.partition(":")
        if folder is not None and folder not in sys.path:
            sys.path.insert(0, folder)
        try:
            options = getattr(getattr(import_module(module), name, None), "Options", None)
            if isinstance(options, type) and issubclass(options, LearnerOptions):
                return options
            allowed = f"{module} has no subclass {name} of training.learners.base.Learner"
        except Exception as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            if not f"{module}.".startswith(f"{missing}."):
                raise RuntimeError(f"{kind}: its module cannot be imported") from error
            allowed = f"there is no module {missing!r}; add its folder to PYTHONPATH"
    raise PydanticCustomError("kind", allowed)


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

    ``given`` is how overrides were typed, by key; by default as ``--set key.sub=value``. A learner
    of one's own is imported from the folder of the file or from Python's path, but never from the
    folder of a run.
    """
    values, folder = read_options(path), os.path.dirname(os.path.abspath(path))
    is_run = os.path.lexists(os.path.join(folder, "config.yaml"))
    typed = {apply_override(values, text): f"--set {text}" for text in overrides}
    return validate(
        Config, values, path, typed | dict(given or {}), context=None if is_run else folder
    )
