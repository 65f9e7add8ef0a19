"""The configuration of a training run: every option, its default, its range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents.posterior.prior import DEFAULT_KNOWN
from envs.encoding import MAX_LENGTH, NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import DEFAULT_SOURCE, Split

# Options that earlier versions had and wrote, with the values that are built in.
_BUILT_IN = {
    "env": {"sampling": "uniform", "repeated_guess": "life"},
    "policy": {"letter_hidden": 32},
    "ppo": {
        "clip_range": 0.2,
        "value_coefficient": 0.5,
        "max_grad_norm": 0.5,
        "target_kl": None,
        "freeze": [],
    },
}
CONFIG_DIRECTORY = Path(__file__).resolve().parent.parent / "configs"
SWEEP_DIRECTORY = CONFIG_DIRECTORY / "sweeps"
_FOLDERS = {"config": CONFIG_DIRECTORY, "sweep": SWEEP_DIRECTORY}


class _Loader(yaml.SafeLoader):
    """Reads ``1e-3`` as a number, as YAML 1.2 does; PyYAML follows YAML 1.1, where it is text."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), "-+0123456789"
)


Model = TypeVar("Model", bound=BaseModel)


class Section(BaseModel):
    """Options of one name; unknown keys and other types are errors."""

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


class RewardConfig(Section):
    """The reward; see ``envs.hangman.rewards``. ``parameters`` are those of the named object."""

    name: Literal["sparse", "dense", "potential"] = "sparse"
    parameters: dict[str, float] = {}


class PosteriorConfig(Section):
    """Fitting the letter posterior before PPO; see ``training.posterior``.

    Without it the policy learns from rewards alone.
    """

    enabled: bool = True


class PolicyConfig(Section):
    """The policy network over the posterior and its look-ahead; see ``agents.ppo.network``."""

    look_ahead_lives: int = Field(3, ge=0, le=NUM_LETTERS)


class WindowsConfig(Section):
    """The policy network without a posterior; see ``agents.ppo.windows``."""

    context: int = Field(6, ge=1, le=MAX_LENGTH)
    log_rows: int = Field(18, ge=1, le=24)


class PPOConfig(Section):
    """MaskablePPO of sb3-contrib; what is not named here is as Stable-Baselines3 has it.

    ``known`` is the share of the games whose words the posterior was fitted on, and what the
    posterior takes for the probability of such words; the other games' words are held back from it.
    """

    known: float = Field(DEFAULT_KNOWN, ge=0, le=1)
    steps: int = Field(150_000, ge=0)
    num_envs: int = Field(512, ge=2, le=65536)
    rollout_steps: int = Field(32, ge=2)
    batch_size: int = Field(2048, ge=2)
    epochs: int = Field(4, ge=1)
    learning_rate: float = Field(1e-2, gt=0)
    gae_lambda: float = Field(0.95, ge=0, le=1)
    entropy_coefficient: float = Field(0.0, ge=0)


class ValidationConfig(Section):
    """Playing valid words while training, to watch it and to choose the best policy."""

    every: int = Field(75_000, ge=1)
    games: int = Field(3000, ge=1)


class Config(Section):
    """A training run."""

    name: str = Field("ppo", pattern=r"^[A-Za-z0-9_.-]+$")
    seed: int = Field(0, ge=0, lt=2**31)
    threads: int = Field(2, ge=1, le=256)
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
    validation: ValidationConfig = ValidationConfig()
    checkpoint_every: int = Field(5_000_000, ge=1)

    def with_words(self, source: str) -> Config:
        """Return the same with another word list, at its absolute path."""
        is_file = source != DEFAULT_SOURCE
        return self.model_copy(update={"words": str(Path(source).resolve()) if is_file else source})

    @model_validator(mode="after")
    def _fits_together(self) -> Config:
        if self.env.min_length > self.env.max_length:
            raise ValueError(
                f"env.min_length: {self.env.min_length} is above env.max_length "
                f"({self.env.max_length})"
            )
        if not self.posterior.enabled and self.ppo.steps == 0:
            raise ValueError("ppo.steps: 0 leaves nothing to do without the posterior")
        rollout = self.ppo.num_envs * self.ppo.rollout_steps
        if self.ppo.batch_size > rollout:
            raise ValueError(
                f"ppo.batch_size: {self.ppo.batch_size} is above a rollout's "
                f"num_envs * rollout_steps ({rollout})"
            )
        return self


def find_config(name: str | Path, kind: str = "config") -> Path:
    """Return the file of that path, else of that name among the project's own.

    Parameters
    ----------
    name : str or Path
    kind : {"config", "sweep"}
        What is looked for.

    Raises
    ------
    InputError
        If there is none.
    """
    folder = _FOLDERS[kind]
    for path in (Path(name), folder / name):
        if path.is_file():
            return path
    where = folder.relative_to(CONFIG_DIRECTORY.parent)
    known = ", ".join(sorted(path.name for path in folder.glob("*.yaml")))
    raise InputError(f"{kind} {str(name)!r} is neither a file nor one of {where}/ ({known})")


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read a YAML file and apply overrides.

    Parameters
    ----------
    path : str or Path
    overrides : sequence of str
        Each ``key.sub=value`` with a YAML value, as ``--set`` has them.

    Raises
    ------
    InputError
        If the file is not readable YAML, a key is unknown, or a value has a wrong type or range.
    """
    values = read_options(path)
    for name, options in _BUILT_IN.items():
        section = values.get(name)
        for key, value in options.items() if isinstance(section, dict) else ():
            if key in section and section[key] == value:
                del section[key]
    for override in overrides:
        apply_override(values, override)
    return validate(Config, values, path)


def validate(model: type[Model], values: dict[str, Any], path: str | Path) -> Model:
    """Return the model of the values of a file.

    Raises
    ------
    InputError
        If a key is unknown, or a value has a wrong type or range.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{path}: {_describe(error, model)}") from error


def read_options(path: str | Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping.

    Raises
    ------
    InputError
        If it is not readable, or holds something else.
    """
    try:
        values = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not readable as YAML ({_one_line(error)})") from error
    values = {} if values is None else values
    if not isinstance(values, dict):
        raise InputError(f"{path}: a mapping of options is expected, not {values!r}")
    return values


def dump_config(config: Config) -> str:
    """Return all options as YAML, for :func:`load_config` to read."""
    return yaml.safe_dump(config.model_dump(), sort_keys=False)


def apply_override(values: dict[str, Any], override: str) -> None:
    """Set one option, ``key.sub=value`` with a YAML value, in nested options.

    Raises
    ------
    InputError
        If it has another form.
    """
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
    """Return the first thing that is wrong: the key, the value and what is allowed."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        for part in first["loc"][:-1]:
            model = model.model_fields[str(part)].annotation
        return f"unknown key {key!r}; known here are {', '.join(model.model_fields)}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    allowed = first["msg"][0].lower() + first["msg"][1:]
    return f"{key}: {first['input']!r} is not allowed ({allowed})"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
