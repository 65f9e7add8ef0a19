"""Gymnasium environments for guessing hidden words.

Importing the package registers ``Hangman-v0``, ``CatsAndDogs-v0`` and ``GuessTheWord-v0``, so that
``gym.make("envs:Hangman-v0")`` works.
"""

import gymnasium as gym

gym.register(
    id="Hangman-v0",
    entry_point="envs.hangman.env:HangmanEnv",
    vector_entry_point="envs.hangman.vector_env:HangmanVectorEnv",
)

gym.register(
    id="CatsAndDogs-v0",
    entry_point="envs.word_guess.env:CatsAndDogsEnv",
    vector_entry_point="envs.word_guess.vector_env:CatsAndDogsVectorEnv",
)

gym.register(
    id="GuessTheWord-v0",
    entry_point="envs.word_guess.env:GuessTheWordEnv",
    vector_entry_point="envs.word_guess.vector_env:GuessTheWordVectorEnv",
)
