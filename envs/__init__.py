"""Gymnasium environments for guessing hidden words.

``import hangman_lab`` registers ``hangman_lab/Hangman-v0``, ``hangman_lab/CatsAndDogs-v0`` and
``hangman_lab/GuessTheWord-v0``.
"""

import gymnasium as gym

gym.register(
    id="hangman_lab/Hangman-v0",
    entry_point="hangman_lab.envs.hangman.env:HangmanEnv",
    vector_entry_point="hangman_lab.envs.hangman.env:HangmanVectorEnv",
    # Reached with repeated_guess="free" alone: otherwise a game has at most 51 steps.
    max_episode_steps=100,
)

for _name, _variant in (("CatsAndDogs", "cats_and_dogs"), ("GuessTheWord", "guess_the_word")):
    gym.register(
        id=f"hangman_lab/{_name}-v0",
        entry_point="hangman_lab.envs.word_guess.env:WordGuessEnv",
        vector_entry_point="hangman_lab.envs.word_guess.env:WordGuessVectorEnv",
        kwargs={"variant": _variant},
    )
