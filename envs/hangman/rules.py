"""The rules of Hangman, and the result of a guess."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.errors import check_choice, check_integer

RepeatedGuess = Literal["life", "free"]
Host = Literal["random", "evil"]


@dataclass(frozen=True)
class Rules:
    """The rules of a game, which are arguments of :class:`envs.hangman.env.HangmanEnv`.

    Recipes and commands make an option of each field. InputError if a rule is outside its range.
    """

    max_wrong: int = field(
        default=6, metadata={"help": "wrong guesses that lose a game", "ge": 1, "le": NUM_LETTERS}
    )
    repeated_guess: RepeatedGuess = field(
        default="life", metadata={"help": "life or free: what a repeated letter costs"}
    )
    host: Host = field(
        default="random", metadata={"help": "evil: the host fixes only the length of the word"}
    )

    def __post_init__(self) -> None:
        for rule in fields(self):
            value = getattr(self, rule.name)
            if choices := get_args(rule.type):
                check_choice(rule.name, value, choices)
            else:
                value = check_integer(rule.name, value, rule.metadata["ge"], rule.metadata["le"])
                object.__setattr__(self, rule.name, value)

    def with_options(self, options: object) -> Self:
        """Return the rules with the attributes of ``options`` of the same names, None for none."""
        given: dict[str, Any] = {name: getattr(options, name, None) for name in RULE_NAMES}
        return replace(self, **{name: rule for name, rule in given.items() if rule is not None})

    def describe(self) -> str:
        """Return the rules as text, as titles of tables have them."""
        repeated = ", repeated letters are free" if self.repeated_guess == "free" else ""
        evil = ", evil host (words are drawn for their lengths alone)"
        return f"{self.max_wrong} wrong guesses lose{repeated}{evil if self.host == 'evil' else ''}"


RULE_NAMES = tuple(rule.name for rule in fields(Rules))


class GuessResult(NamedTuple):
    """The result of a guess in each of N games, valid until the next; arrays have shape (N,)."""

    newly_shown: npt.NDArray[np.int64]  # positions that the guess uncovered
    lost_life: npt.NDArray[np.bool_]  # a wrong letter, or a repeated one if the rules say so
    won: npt.NDArray[np.bool_]  # the guess won the game
    lost: npt.NDArray[np.bool_]  # the guess lost the game
    shown: npt.NDArray[np.int64]  # positions uncovered after the guess
    lives: npt.NDArray[np.int64]  # wrong guesses left after the guess
    lengths: npt.NDArray[np.int64]  # letters of the secret word
    max_wrong: int  # the number of wrong guesses that loses a game
