"""Gymnasium environments for guessing hidden words.

Importing the package registers ``Hangman-v0``, so that ``gym.make("envs:Hangman-v0")`` works.
"""

import gymnasium as gym

gym.register(
    id="Hangman-v0",
    entry_point="envs.hangman.env:HangmanEnv",
    vector_entry_point="envs.hangman.vector_env:HangmanVectorEnv",
)
