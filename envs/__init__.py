"""Gymnasium environments for guessing hidden words.

Importing the package registers ``Hangman-v0``, ``CatsAndDogs-v0`` and ``GuessTheWord-v0``, so that
``gym.make("envs:Hangman-v0")`` works.
"""

import gymnasium as gym

gym.register(
    id="Hangman-v0",
    entry_point="envs.hangman.env:HangmanEnv",
    vector_entry_point="envs.hangman.env:HangmanVectorEnv",
    # Reached with repeated_guess="free" alone: otherwise a game has at most 51 steps.
    max_episode_steps=100,
)

for _id, _variant in (("CatsAndDogs-v0", "cats_and_dogs"), ("GuessTheWord-v0", "guess_the_word")):
    gym.register(
        id=_id,
        entry_point="envs.word_guess.env:WordGuessEnv",
        vector_entry_point="envs.word_guess.env:WordGuessVectorEnv",
        kwargs={"variant": _variant},
    )
