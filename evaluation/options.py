"""The options of an evaluation, of ``evaluate.py`` and of ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, create_model, model_validator

from hangman_lab.agents import AGENTS
from hangman_lab.agents.word_guess import WORD_GUESS_AGENTS
from hangman_lab.envs.secret_words import Part
from hangman_lab.envs.words import DEFAULT_KNOWN
from hangman_lab.run_files.agents import LEARNED_AGENTS
from hangman_lab.run_files.options import rule_fields, validate
from hangman_lab.terminal.arguments import WORDS_HELP, option_name


def _option(default: Any, helps: str, metavar: str = "N", **more: Any) -> Any:
    """Return a field; ``helps`` and ``metavar`` are those of the command's option."""
    return Field(default, description=helps, json_schema_extra={"metavar": metavar}, **more)


_RuleOptions: Any = create_model(
    "_RuleOptions",
    __config__=ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False),
    **rule_fields(optional=True),
)


class EvaluationOptions(_RuleOptions):
    """The options of ``evaluate.py`` and ``compare``, and those of the rules of the game."""

    agents: tuple[str, ...] | None = Field(
        None,
        description=f"any of {', '.join([*LEARNED_AGENTS, *AGENTS])}; for whole-word games "
        f"{', '.join(WORD_GUESS_AGENTS)} (default: those available)",
        json_schema_extra={"metavar": "NAME", "nargs": "+"},
    )
    run: str | Path | None = _option(
        None,
        "a training run: its policy, word list and split (default: the pretrained policy)",
        "RUN_DIR",
    )
    words: Any = _option(None, WORDS_HELP, "FILE")
    split: Part | None = _option(None, "part of the list (default: test)")
    secrets: Any = _option(None, "play exactly the words of this file", "FILE")
    games: int | None = _option(None, "play a random sample of N words", ge=1)
    repeat: int = _option(1, "games per word, for the worst words", ge=1)
    known: float = _option(
        DEFAULT_KNOWN,
        "prior probability that the secret is a known word, which the run was fitted on, for "
        f"{', '.join(LEARNED_AGENTS)}; 0 if the rules exclude known words (default: %(default)s)",
        "P",
        ge=0,
        le=1,
    )
    common: float = _option(
        0.0,
        "probability that a known word was chosen as people choose words, for "
        f"{', '.join(LEARNED_AGENTS)} and dictionary; above 0, the words that people choose are "
        "known words (default: %(default)s)",
        "P",
        ge=0,
        le=1,
    )
    drop_known: bool = _option(False, "exclude known words")
    allow_known: bool = _option(False, "play known words even if the prior excludes them")
    seed: int = _option(0, "seed of random draws", ge=0, lt=2**31)

    @classmethod
    def of(cls, **options: Any) -> EvaluationOptions:
        """Return the options; raise InputError if an option is invalid."""
        return validate(cls, options)

    def spell(self, name: str) -> str:
        """Return the name of an option in errors."""
        return type(self).model_fields[name].alias or name

    @model_validator(mode="after")
    def _check(self) -> EvaluationOptions:
        for one, other in (("split", "secrets"), ("allow_known", "drop_known")):
            if getattr(self, one) and getattr(self, other):
                text = f"{self.spell(one)}: cannot be combined with {self.spell(other)}"
                raise ValueError(text)
        if len(names := self.agents or ()) > len(set(names)):
            raise ValueError(f"{self.spell('agents')}: {names} names an agent twice")
        return self


class CommandOptions(EvaluationOptions):
    """The options as the command has them, ``--drop-known`` for ``drop_known``."""

    model_config = ConfigDict(alias_generator=option_name, populate_by_name=True)
