"""Gymnasium environments for guessing hidden words, which ``import hangman_lab`` registers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium as gym

if TYPE_CHECKING:
    from hangman_lab.envs.hangman.env import HangmanEnv
    from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
    from hangman_lab.envs.hangman.text import TextHangman
    from hangman_lab.envs.hangman.vector import HangmanVectorEnv
    from hangman_lab.envs.word_guess.env import WordGuessEnv
    from hangman_lab.envs.wrappers import ActionMaskObservation, VectorActionMaskObservation

__all__ = [
    "ActionMaskObservation",
    "HangmanEnv",
    "HangmanVecEnv",
    "HangmanVectorEnv",
    "TextHangman",
    "VectorActionMaskObservation",
    "WordGuessEnv",
]

# Imported on first use: HangmanVecEnv needs Stable-Baselines3.
_MODULE_OF = {
    "ActionMaskObservation": "wrappers",
    "TextHangman": "hangman.text",
    "VectorActionMaskObservation": "wrappers",
    "HangmanEnv": "hangman.env",
    "HangmanVecEnv": "hangman.sb3",
    "HangmanVectorEnv": "hangman.vector",
    "WordGuessEnv": "word_guess.env",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


gym.register(
    id="hangman_lab/Hangman-v0",
    entry_point="hangman_lab.envs.hangman.env:HangmanEnv",
    vector_entry_point="hangman_lab.envs.hangman.vector:HangmanVectorEnv",
    # Reached with repeated_guess="free" alone: otherwise a game has at most 51 steps.
    max_episode_steps=100,
)

gym.register(
    id="hangman_lab/TextHangman-v0",
    entry_point="hangman_lab.envs.hangman.text:TextHangman",
    # Reached where invalid replies and repeated letters are free.
    max_episode_steps=100,
)

for _name, _variant in (("CatsAndDogs", "cats_and_dogs"), ("GuessTheWord", "guess_the_word")):
    gym.register(
        id=f"hangman_lab/{_name}-v0",
        entry_point="hangman_lab.envs.word_guess.env:WordGuessEnv",
        kwargs={"variant": _variant},
    )
