"""Options in YAML files: reading, overrides, and errors of one line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import ScalarNode

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules


class _Constructor(SafeConstructor):
    """Reads ``1e5`` as an integer, and a date as text: YAML 1.2 has none."""

    def construct_yaml_float(self, node: ScalarNode) -> float | int:
        """Return the number of a node."""
        number = super().construct_yaml_float(node)
        return int(number) if "e" in node.value.lower() and number.is_integer() else number


_Constructor.add_constructor("tag:yaml.org,2002:float", _Constructor.construct_yaml_float)
_Constructor.add_constructor("tag:yaml.org,2002:timestamp", _Constructor.construct_yaml_str)

Model = TypeVar("Model", bound=BaseModel)


class Section(BaseModel):
    """Base class of sections; unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @classmethod
    def select(cls, values: Any) -> type[Section]:
        """Return the class of a section with these values, a subclass or this one."""
        return cls


def rule_fields(optional: bool = False) -> dict[str, Any]:
    """Return a field for each rule of a game, for ``pydantic.create_model``.

    If ``optional``, the default is None: the rule is that of a run.
    """
    options: dict[str, Any] = {}
    for rule in fields(Rules):
        kind: Any = rule.type
        limits = {name: rule.metadata[name] for name in ("ge", "le") if name in rule.metadata}
        helps, default = rule.metadata["help"], rule.default
        if optional:
            kind, helps, default = kind | None, f"{helps} (default: the run's, or {default})", None
        options[rule.name] = kind, Field(default, description=helps, **limits)
    return options


def validate(
    model: type[Model],
    values: dict[str, Any],
    path: str | Path = "",
    given: Mapping[str, str] | None = None,
    context: Any = None,
) -> Model:
    """Return validated values of a file; raise InputError if one is invalid.

    ``given`` are the keys of overrides, and how each was typed; ``context`` is that of pydantic.
    """
    try:
        return model.model_validate(values, context=context)
    except ValidationError as error:
        key, description = _describe(error, model, values)
        # The key of an error can be that of a section.
        typed = [
            how
            for name, how in (given or {}).items()
            if f"{name}.".startswith(f"{key}.") or f"{key}.".startswith(f"{name}.")
        ]
        where = f"{typed[-1] if typed else path}: " if path else ""
        raise InputError(f"{where}{description}") from error


def read_options(path: str | Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; raise InputError if it is unreadable or not a mapping."""
    values = _parse(Path(path), path)
    if not isinstance(values, dict | None):
        raise InputError(f"{path}: a mapping of options is expected, not {values!r}")
    return values or {}


def apply_override(values: dict[str, Any], override: str) -> str:
    """Set an option, ``key.sub=value`` with a YAML value, and return its key.

    Raises InputError if it is malformed.
    """
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise InputError(f"--set {override!r}: key.sub=value is expected")
    set_value(values, key, _parse(text, f"--set {override!r}"))
    return key


def set_value(values: dict[str, Any], key: str, value: Any) -> None:
    """Set the option ``key.sub``; raise InputError if ``key`` is not a section."""
    *sections, last = key.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise InputError(f"{key}: {section!r} is not a section, but {values!r}")
    values[last] = value


def dump_config(config: Section) -> str:
    """Return all options as YAML."""
    stream = StringIO()
    YAML(pure=True).dump(config.model_dump(), stream)
    return stream.getvalue()


def _parse(source: str | Path, where: str | Path) -> Any:
    """Return the value of a text or a file in YAML 1.2; raise InputError if it has none."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    try:
        # By way of JSON, which copies aliases, and joins the two escapes of a surrogate pair.
        return json.loads(json.dumps(yaml.load(source)))
    except (OSError, YAMLError, LookupError, RecursionError, TypeError, ValueError) as error:
        detail = str(error)
        if isinstance(error, MarkedYAMLError):
            detail = f"line {error.problem_mark.line + 1}: {error.problem}"
        raise InputError(f"{where}: not readable as YAML ({detail})") from error


def _describe(error: ValidationError, model: type[BaseModel], values: Any) -> tuple[str, str]:
    """Return the key of the first error, and a text: the key, the value and what is allowed."""
    first = error.errors()[0]
    key, fields = _locate(first["loc"], model, values)
    if first["type"] == "extra_forbidden":
        return key, f"unknown key {key!r}; known here are {', '.join(fields)}"
    if first["type"] == "missing":
        return key, f"{key}: missing"
    if first["type"] == "value_error":
        text = str(first.get("ctx", {})["error"])
        return key, text if text.startswith(key) else f"{key}: {text}"
    value, allowed = first["input"], first["msg"][0].lower() + first["msg"][1:]
    if first["type"] == "model_type":
        allowed = "it is a section, with keys of its own"
    return key, f"{key}: {value!r:.200} is not allowed ({allowed})"


def _locate(location: Sequence[int | str], model: Any, values: Any) -> tuple[str, Sequence[str]]:
    """Return the key of an error, and the known keys of its section.

    A location also has the type of the member of each union.
    """
    keys: list[str] = []
    fields: dict[Any, Any] = {}
    for part in location:
        members = {getattr(member, "__name__", None): member for member in get_args(model)}
        if part in members:
            model = members[part]
            continue
        keys.append(str(part))
        fields = getattr(model, "model_fields", {})
        model = fields[part].annotation if part in fields else None
        values = values.get(part) if isinstance(values, dict) else None
        if isinstance(model, type) and issubclass(model, Section):
            model = model.select(values)
    return ".".join(keys), tuple(fields)
