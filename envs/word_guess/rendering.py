"""Drawing a game: as text, and as a picture with a row of tiles a guess."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from envs.pictures import BAD, FAINT, GOOD, INK, PAPER, font
from envs.word_guess.answers import AnswerRule
from envs.word_guess.observation import NO_WORD, Observation

PICTURE_SIZE = (640, 480)
_ROWS_SHOWN = 9


def guessed_words(observation: Observation, allowed: Sequence[str]) -> list[str]:
    """Return the words that one game's player guessed; ``?`` for one that is not in the list."""
    guesses = observation["guesses"][: int(observation["num_guesses"])].tolist()
    return ["?" if index == NO_WORD else allowed[index] for index in guesses]


def answer_text(answer: npt.NDArray[np.int8], rule: AnswerRule) -> str:
    """Return one answer in words, as in ``cats 1  dogs 2``."""
    if answer[0] < 0:
        return "not in the list"
    return "  ".join(f"{name} {count}" for name, count in zip(rule.names, answer, strict=True))


def is_won(observation: Observation, rule: AnswerRule) -> bool:
    """Return whether the last guess of one game has every letter at its place."""
    made = int(observation["num_guesses"])
    return made > 0 and observation["answers"][made - 1, -1] == rule.word_length


def verdict(observation: Observation, rule: AnswerRule, secret: str | None) -> str:
    """Return one line on how one game ended; empty while it goes on (``secret`` is None)."""
    if secret is None:
        return ""
    return "won" if is_won(observation, rule) else f"lost; the word was {secret}"


def render_text(
    observation: Observation, rule: AnswerRule, allowed: Sequence[str], secret: str | None = None
) -> str:
    """Draw one game as text: a line for each guess.

    Parameters
    ----------
    observation : Observation
        Of one game.
    rule : AnswerRule
    allowed : sequence of str
        The allowed list.
    secret : str, optional
        The word, once the game is over.
    """
    lines = [_headline(observation, rule, allowed)]
    words = guessed_words(observation, allowed)
    for number, (word, answer) in enumerate(zip(words, observation["answers"], strict=False), 1):
        lines.append(f"{number:>4}  {word:<{rule.word_length}}  {answer_text(answer, rule)}")
    if secret is not None:
        lines.append(verdict(observation, rule, secret))
    return "\n".join(lines)


def render_rgb_array(
    observation: Observation, rule: AnswerRule, allowed: Sequence[str], secret: str | None = None
) -> npt.NDArray[np.uint8]:
    """Draw the last guesses of one game as a picture, shape (480, 640, 3).

    The arguments are :func:`render_text`'s.
    """
    picture = Image.new("RGB", PICTURE_SIZE, PAPER)
    draw = ImageDraw.Draw(picture)
    draw.text((32, 24), _headline(observation, rule, allowed), font=font(20), fill=INK)

    won = is_won(observation, rule)
    words = guessed_words(observation, allowed)
    first = max(0, len(words) - _ROWS_SHOWN)
    tile = min(34, 380 // rule.word_length)
    for row, number in enumerate(range(first, len(words))):
        top = 70 + row * 40
        middle = top + 17
        draw.text((64, middle), str(number + 1), font=font(16), fill=FAINT, anchor="rm")
        answer = observation["answers"][number]
        is_last = number == len(words) - 1
        color = GOOD if won and is_last else INK
        for place, letter in enumerate(words[number].ljust(rule.word_length)):
            left = 80 + place * tile
            middle_of_tile = (left + (tile - 3) // 2, middle)
            draw.rectangle((left, top, left + tile - 4, top + 33), outline=color, width=1)
            draw.text(middle_of_tile, letter, font=font(tile * 2 // 3), fill=color, anchor="mm")
        text = answer_text(answer, rule)
        beside = (96 + rule.word_length * tile, middle)
        draw.text(beside, text, font=font(18), fill=color, anchor="lm")
    if first:
        draw.text((32, 50), f"{first} earlier guesses", font=font(14), fill=FAINT)
    color = GOOD if won else BAD
    draw.text((32, 442), verdict(observation, rule, secret), font=font(20), fill=color)
    return np.asarray(picture, dtype=np.uint8)


def _headline(observation: Observation, rule: AnswerRule, allowed: Sequence[str]) -> str:
    made, limit = int(observation["num_guesses"]), len(observation["guesses"])
    return f"{len(allowed):,} words of {rule.word_length} letters, {made} of {limit} guesses"
