"""Rendering of a word guessing game as text, and as an image of that text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.rendering import Drawing, text_picture
from hangman_lab.envs.word_guess.answers import AnswerRule

_MAX_IMAGE_LINES = 17


def draw_game(
    rule: AnswerRule,
    guesses: Sequence[str],
    answers: npt.NDArray[np.int8],
    head: str,
    verdict: str | None,
    mode: str,
) -> Drawing:
    """Draw one game: an image of the last guesses for ``rgb_array``, else text.

    ``head`` is the first line, ``verdict`` the last one at the end of the game.
    """
    lines = []
    for number, (word, answer) in enumerate(zip(guesses, answers, strict=True)):
        counts = (f"{name} {count}" for name, count in zip(rule.names, answer, strict=True))
        lines.append(f"{number + 1:>4}  {word}  {'  '.join(counts)}")
    if mode == "rgb_array":
        lines = lines[-_MAX_IMAGE_LINES:]
    text = "\n".join([head, *lines, *([] if verdict is None else [verdict])])
    return text_picture(text) if mode == "rgb_array" else text
