"""The configuration of a training run: options, defaults and ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hangman_lab.envs.encoding import MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG, EnvHost
from hangman_lab.envs.words import DEFAULT_KNOWN, DEFAULT_SOURCE, NAMED_SOURCES, Split

CONFIG_DIRECTORY = Path(__file__).resolve().parent.parent / "configs"
SWEEP_DIRECTORY = CONFIG_DIRECTORY / "sweeps"
_FOLDERS = {"config": CONFIG_DIRECTORY, "sweep": SWEEP_DIRECTORY}


class _Loader(yaml.SafeLoader):
    """Reads ``1e-3`` as a float, as in YAML 1.2, and ``1e5`` as an integer.

    In PyYAML, which implements YAML 1.1, both are text.
    """

    def construct_yaml_float(self, node: yaml.Node) -> float | int:
        """Return the number of a node."""
        number = super().construct_yaml_float(node)
        return int(number) if "e" in node.value.lower() and number.is_integer() else number


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), "-+0123456789"
)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_yaml_float)


Model = TypeVar("Model", bound=BaseModel)


class Section(BaseModel):
    """Base class of sections; unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SplitConfig(Section):
    """The disjoint split; see ``envs.words.Split``."""

    seed: int = 0
    fractions: list[float] = [0.9, 0.05, 0.05]

    def make(self) -> Split:
        """Return the split."""
        return Split(self.seed, tuple(self.fractions))


class EnvConfig(Section):
    """The environment; see ``envs.hangman.env.HangmanEnv``."""

    max_wrong: int = Field(DEFAULT_MAX_WRONG, ge=1, le=NUM_LETTERS)
    min_length: int = Field(1, ge=1, le=MAX_LENGTH)
    max_length: int = Field(MAX_LENGTH, ge=1, le=MAX_LENGTH)
    host: EnvHost = "random"


class RewardConfig(Section):
    """The reward; see ``envs.rewards``. ``parameters`` are the arguments of its class."""

    name: Literal["sparse", "dense", "potential"] = "sparse"
    parameters: dict[str, float] = {}


class PosteriorConfig(Section):
    """The letter posterior, fitted before PPO; see ``training.posterior``."""

    enabled: bool = True


class PolicyConfig(Section):
    """The policy network on the posterior, and the look-ahead; see ``agents.ppo.network``."""

    look_ahead_lives: int = Field(3, ge=0, le=NUM_LETTERS)


class WindowsConfig(Section):
    """The policy network without a posterior; see ``agents.ppo.windows``."""

    context: int = Field(6, ge=1, le=MAX_LENGTH)
    log_rows: int = Field(18, ge=1, le=24)


class PPOConfig(Section):
    """MaskablePPO of sb3-contrib; other hyperparameters have the defaults of Stable-Baselines3.

    ``known`` is the share of games with words that the posterior was fitted on, and the prior
    probability of these words. The words of the other games are held back from the posterior,
    except for the rating of candidates. Stock algorithms use ``known``, ``steps`` and ``num_envs``
    only.
    """

    known: float = Field(DEFAULT_KNOWN, ge=0, le=1)
    steps: int = Field(50_000, ge=0)
    num_envs: int = Field(512, ge=2, le=65536)
    rollout_steps: int = Field(32, ge=2)
    batch_size: int = Field(2048, ge=2)
    epochs: int = Field(4, ge=0)
    learning_rate: float = Field(1e-2, gt=0)
    gae_lambda: float = Field(0.95, ge=0, le=1)
    entropy_coefficient: float = Field(0.0, ge=0)


class PredictionConfig(Section):
    """The prediction phase of PPO alone, off by default; see ``training.prediction``."""

    learning_rate: float = Field(0.0, ge=0)


class PlayConfig(Section):
    """Learning from play: the posterior is fitted on words uncovered by the run's games.

    PPO alone plays first, by scratch.yaml with the overrides ``alone`` (``key.sub=value``), unless
    ``begin_with`` is a run whose posterior is used instead. The posterior then plays ``num_envs``
    games at once, and is refitted whenever the number of uncovered words has grown by the share
    ``growth``. ``games`` is the total number of games, including those of PPO alone; with 0 the
    posterior is fitted on the train words.
    """

    games: int = Field(0, ge=0)
    alone: list[str] = []
    begin_with: str | None = None
    num_envs: int = Field(4096, ge=1, le=65536)
    growth: float = Field(0.05, gt=0)


class ValidationConfig(Section):
    """Validation during training, for curves, model selection and checkpoints."""

    every: int = Field(25_000, ge=1)
    games: int = Field(3000, ge=1)


StockAlgorithm = Literal["sb3-ppo", "sb3-dqn", "sb3-maskable-ppo"]
STOCK_ALGORITHMS: tuple[str, ...] = get_args(StockAlgorithm)


class Config(Section):
    """A training run."""

    name: str = Field("ppo", pattern=r"^[A-Za-z0-9_.-]+$")
    seed: int = Field(0, ge=0, lt=2**31)
    threads: int = Field(2, ge=1, le=256)
    algorithm: Literal["ppo", StockAlgorithm] = "ppo"
    words: str = DEFAULT_SOURCE
    split: SplitConfig = SplitConfig()
    final_split: Literal["test", "valid"] = "test"
    discount: float = Field(1.0, ge=0, le=1)
    env: EnvConfig = EnvConfig()
    reward: RewardConfig = RewardConfig()
    posterior: PosteriorConfig = PosteriorConfig()
    policy: PolicyConfig = PolicyConfig()
    windows: WindowsConfig = WindowsConfig()
    ppo: PPOConfig = PPOConfig()
    prediction: PredictionConfig = PredictionConfig()
    play: PlayConfig = PlayConfig()
    validation: ValidationConfig = ValidationConfig()

    def with_words(self, source: str) -> Config:
        """Return the config with another word list, as an absolute path."""
        is_file = source not in NAMED_SOURCES
        return self.model_copy(update={"words": str(Path(source).resolve()) if is_file else source})

    @model_validator(mode="after")
    def _fits_together(self) -> Config:
        if self.env.min_length > self.env.max_length:
            raise ValueError(
                f"env.min_length: {self.env.min_length} is above env.max_length "
                f"({self.env.max_length})"
            )
        if self.posterior.enabled and self.prediction.learning_rate > 0:
            raise ValueError("prediction.learning_rate: only for posterior.enabled: false")
        if self.play.games > 0 and not self.posterior.enabled:
            raise ValueError("play.games: only for posterior.enabled: true")
        if self.play.games == 0 and self.play.begin_with is not None:
            raise ValueError("play.begin_with (--from): only with play.games, as in from_play.yaml")
        if not self.posterior.enabled and self.ppo.steps == 0:
            raise ValueError("ppo.steps: 0 is only for posterior.enabled: true")
        if self.algorithm != "ppo":
            self._check_stock()
            return self
        rollout = self.ppo.num_envs * self.ppo.rollout_steps
        if self.ppo.batch_size > rollout:
            raise ValueError(
                f"ppo.batch_size: {self.ppo.batch_size} is above a rollout's "
                f"num_envs * rollout_steps ({rollout})"
            )
        return self

    def _check_stock(self) -> None:
        """Refuse options that stock algorithms do not use."""
        if self.posterior.enabled:
            raise ValueError(f"posterior.enabled: must be false for {self.algorithm}")
        if self.prediction.learning_rate > 0:
            raise ValueError(f"prediction.learning_rate: must be 0 for {self.algorithm}")
        for key, field in PPOConfig.model_fields.items():
            used = key in ("known", "steps", "num_envs")
            if not used and getattr(self.ppo, key) != field.default:
                raise ValueError(f"ppo.{key}: not used by {self.algorithm}; leave it out")


def find_config(name: str | Path, kind: str = "config") -> Path:
    """Return the path of a file, or of a file in configs/ or configs/sweeps/, by name.

    ``kind`` is "config" or "sweep". Raises InputError if the file does not exist.
    """
    folder = _FOLDERS[kind]
    for path in (Path(name), folder / name):
        if path.is_file():
            return path
    where = folder.relative_to(CONFIG_DIRECTORY.parent)
    known = ", ".join(sorted(path.name for path in folder.glob("*.yaml")))
    raise InputError(f"{kind} {str(name)!r} is neither a file nor one of {where}/ ({known})")


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Load a config from YAML and apply overrides; raise InputError if anything is invalid."""
    values = read_options(path)
    for override in overrides:
        apply_override(values, override)
    return validate(Config, values, path)


def validate(model: type[Model], values: dict[str, Any], path: str | Path) -> Model:
    """Return the validated values of a file; raise InputError if a key or a value is invalid."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{path}: {_describe(error, model)}") from error


def read_options(path: str | Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; raise InputError if it is unreadable or not a mapping."""
    try:
        values = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        detail = " ".join(str(error).split())
        raise InputError(f"{path}: not readable as YAML ({detail})") from error
    values = {} if values is None else values
    if not isinstance(values, dict):
        raise InputError(f"{path}: a mapping of options is expected, not {values!r}")
    return values


def dump_config(config: Section) -> str:
    """Return all options as YAML."""
    return yaml.safe_dump(config.model_dump(), sort_keys=False)


def apply_override(values: dict[str, Any], override: str) -> None:
    """Set an option, ``key.sub=value`` with a YAML value; raise InputError if it is malformed."""
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise InputError(f"--set {override!r}: key.sub=value is expected")
    try:
        value = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise InputError(f"--set {override!r}: {text!r} is not a YAML value") from error
    *sections, last = key.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise InputError(f"--set {override!r}: {section!r} is not a section")
    values[last] = value


def _describe(error: ValidationError, model: type[BaseModel]) -> str:
    """Describe the first error: the key, the value and what is allowed."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        for part in first["loc"][:-1]:
            annotation = model.model_fields[str(part)].annotation
            # Of an optional section, the section.
            model = cast(type[BaseModel], next(iter(get_args(annotation)), annotation))
        return f"unknown key {key!r}; known here are {', '.join(model.model_fields)}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    allowed = first["msg"][0].lower() + first["msg"][1:]
    return f"{key}: {first['input']!r} is not allowed ({allowed})"
