"""Options in YAML files: reading, overrides, and errors of one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from hangman_lab.envs.errors import InputError


class _Loader(yaml.SafeLoader):
    """Reads ``1e-3`` as a float, as in YAML 1.2, and ``1e5`` as an integer.

    In PyYAML, which implements YAML 1.1, both are text.
    """

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float | int:
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
    key, fields, kinds = _locate(first["loc"], model)
    if first["type"] == "extra_forbidden":
        return f"unknown key {key!r}; known here are {', '.join(fields)}"
    if first["type"] == "value_error":
        return str(first.get("ctx", {})["error"])
    if first["type"].startswith("union_tag"):
        kind = first["input"].get("kind")
        return f"{key}.kind: {kind!r} is not allowed (it is one of {', '.join(kinds)})"
    allowed = first["msg"][0].lower() + first["msg"][1:]
    return f"{key}: {first['input']!r} is not allowed ({allowed})"


def _locate(location: Sequence[int | str], model: Any) -> tuple[str, Sequence[str], Sequence[str]]:
    """Return the key of an error, the known keys of its section, and the kinds of its value.

    A location also has the member of each union: the ``kind`` of a learner, or a type.
    """
    keys: list[str] = []
    fields: dict[Any, Any] = {}
    for part in location:
        members = {_tag(member): member for member in get_args(model)}
        if part in members:
            model = members[part]
        else:
            keys.append(str(part))
            fields = getattr(model, "model_fields", {})
            model = fields[part].annotation if part in fields else None
    return ".".join(keys), tuple(fields), [str(_tag(member)) for member in get_args(model)]


def _tag(member: Any) -> str | None:
    """Return the name of a member of a union in the location of an error."""
    fields = getattr(member, "model_fields", {})
    return fields["kind"].default if "kind" in fields else getattr(member, "__name__", None)
