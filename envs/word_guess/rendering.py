"""Rendering of a word guessing game as text, and as an image of that text."""

from __future__ import annotations

from hangman_lab.envs.rendering import Drawing, text_picture
from hangman_lab.envs.word_guess.rules import WordGuessGames

_MAX_IMAGE_LINES = 17


def draw_game(games: WordGuessGames, game: int, mode: str) -> Drawing:
    """Draw one game: an image of the last guesses for ``rgb_array``, else text."""
    observation, secret = games.view(game)
    rule, allowed = games.rule, games.words.allowed
    made = int(observation["num_guesses"])
    lines = []
    for number in range(made):
        word, answer = allowed[observation["guesses"][number]], observation["answers"][number]
        counts = (f"{name} {count}" for name, count in zip(rule.names, answer, strict=True))
        lines.append(f"{number + 1:>4}  {word}  {'  '.join(counts)}")
    if mode == "rgb_array":
        lines = lines[-_MAX_IMAGE_LINES:]
    lines.insert(
        0,
        f"{len(allowed):,} words of {rule.word_length} letters, "
        f"{made} of {games.max_guesses} guesses",
    )
    if secret is not None:
        lines.append("won" if games.won[game] else f"lost; the word was {secret}")
    text = "\n".join(lines)
    return text_picture(text) if mode == "rgb_array" else text
