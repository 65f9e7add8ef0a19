"""Cats and Dogs and Guess the Word as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.keyed_random import new_stream
from envs.word_guess.observation import NO_WORD, Observation, observation_space
from envs.word_guess.options import (
    CATS_AND_DOGS,
    GUESS_THE_WORD,
    GameOptions,
    Variant,
)
from envs.word_guess.rendering import RENDER_FPS, render_rgb_array, render_text
from envs.word_guess.rewards import reward
from envs.word_guess.rules import Step


class WordGuessEnv(gym.Env[Observation, int]):
    """What the two games share; use :class:`CatsAndDogsEnv` or :class:`GuessTheWordEnv`."""

    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": RENDER_FPS}  # noqa: RUF012
    variant: Variant

    def __init__(
        self,
        words: Sequence[str] | None = None,
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        opponent: str = "random",
        mask: str = "all",
        reward: str = "sparse",
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(
                f"render_mode: {render_mode!r} is not one of {self.metadata['render_modes']}"
            )
        self.render_mode = render_mode
        self._options = GameOptions(
            self.variant, words, allowed, word_length, max_guesses, opponent, mask, reward
        )
        self._games = self._options.make_games(1)
        self._stream: np.uint64 | None = None
        self._episode = 0
        self.observation_space = observation_space(
            self._options.rule, len(self.allowed), self._options.max_guesses
        )
        self.action_space = spaces.Discrete(len(self.allowed))

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._options.words.allowed

    @property
    def secret(self) -> str:
        """The hidden word. It is for people who look on; a player does not see it.

        While an adversary has not settled on one, it is the first word that is still consistent.
        """
        return self.allowed[self._games.secrets[0]]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib asks for it."""
        return self._info()["action_mask"].astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game.

        Parameters
        ----------
        seed : int, optional
            Begins a new stream of words; without it the stream goes on.
        options : dict, optional
            ``{"word": str}`` forces the secret word, against an adversary too.

        Raises
        ------
        ValueError
            If a forced word is not one of the secret words.
        """
        super().reset(seed=seed)
        if seed is not None or self._stream is None:
            self._stream = new_stream(self.np_random)
            self._episode = 0
        forced = [options["word"]] if options and "word" in options else None
        secrets = self._options.secrets(np.array([self._stream]), np.array([self._episode]), forced)
        self._games.start(slice(None), secrets)
        self._episode += 1
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Guess a word.

        Raises
        ------
        ValueError
            If ``action`` is not an index into the allowed list.
        gymnasium.error.ResetNeeded
            If no game is going on.
        """
        if not 0 <= action < len(self.allowed):
            raise ValueError(f"an action is outside 0..{len(self.allowed) - 1}")
        step = self._guess(int(action))
        value = float(reward(self._options.reward, step)[0])
        if self.render_mode == "human":
            self.render()
        return self._observe(), value, bool(step.won[0] | step.lost[0]), False, self._info()

    def guess(self, word: str) -> tuple[int, ...] | None:
        """Guess a word by its letters, whether it is in the allowed list or not.

        Returns
        -------
        tuple of int or None
            The numbers of the answer; None for a word that is not in the list, which costs a guess
            all the same.

        Raises
        ------
        gymnasium.error.ResetNeeded
            If no game is going on.
        """
        index = self._options.words.index(word)
        step = self._guess(NO_WORD if index is None else index)
        if index is None:
            return None
        return tuple(self._options.rule.answers_by_code[step.codes[0]].tolist())

    @property
    def is_over(self) -> bool:
        """Whether no game is going on: none was begun, or it is won or out of guesses."""
        return self._stream is None or bool(self._games.over[0])

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the game as text (``ansi``) or a picture (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                f'for example gym.make("envs:{self.variant.env_id}", render_mode="ansi").'
            )
            return None
        draw = render_rgb_array if self.render_mode == "rgb_array" else render_text
        picture = draw(
            self._observe(),
            self._options.rule,
            self.allowed,
            bool(self._games.won[0]),
            self.secret if self._games.over[0] else None,
        )
        if self.render_mode == "human":
            print(picture)
            return None
        return picture

    def _guess(self, word: int) -> Step:
        if self.is_over:
            raise gym.error.ResetNeeded("Cannot call step: the game is over, call reset first")
        return self._games.guess(np.array([word], dtype=np.int64))

    def _observe(self) -> Observation:
        games = self._games.observe()
        return Observation(
            guesses=games["guesses"][0],
            answers=games["answers"][0],
            num_guesses=games["num_guesses"][0],
        )

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._options.action_mask(self._games)[0],
            "won": bool(self._games.won[0]),
        }


class CatsAndDogsEnv(WordGuessEnv):
    """Guess a hidden word of four letters by cats and dogs.

    ## Description

    Each guess is a word of the allowed list. Its answer is two numbers: **dogs**, the letters that
    the secret has at the same place, and **cats**, the letters in common that stand elsewhere. A
    letter counts as often as both words have it, as in Mastermind: `noon` for `neon` has 3 dogs
    and no cat. The word itself is never observed.

    ## Action Space

    `Discrete(number of allowed words)`: guess the word `env.unwrapped.allowed[action]`.

    ## Observation Space

    A `Dict`:

    | key           | space                                         | meaning                     |
    |---------------|-----------------------------------------------|-----------------------------|
    | `guesses`     | `Box(-1, allowed - 1, (max_guesses,), int32)` | the actions so far, then -1 |
    | `answers`     | `Box(-1, length, (max_guesses, 2), int8)`     | their cats and dogs, or -1  |
    | `num_guesses` | `Discrete(max_guesses + 1)`                   | the guesses made            |

    ## Starting State

    A secret drawn from the words, no guess made. `reset(options={"word": "cold"})` forces one.

    ## Rewards

    By default +1 for a win, -1 for a loss and 0 otherwise; with `reward="mistakes"` -1 for every
    guess that is not the secret.

    ## Episode End

    Terminates when the secret is guessed or after `max_guesses` guesses. Never truncates by
    itself; `gym.make(..., max_episode_steps=...)` does.

    ## Information

    `reset` and `step` return

    - `action_mask`: ndarray of int8, shape (allowed words,): 1 for each allowed word, or, with
      `mask="consistent"`, for each word that may still be the secret;
    - `won`: bool, whether the secret was guessed.

    ## Arguments

    - `words`: sequence of lower-case words, the secrets; those of the default list (`web2`) if
      not given. Words of another length are not used.
    - `allowed`: the words that may be guessed, which include all secrets; the secrets if not
      given.
    - `word_length`: 4 by default, up to 21.
    - `max_guesses`: 128 by default.
    - `opponent`: `"random"` draws a secret; an `"adversary"` has none, and gives the answer that
      leaves most words consistent.
    - `mask`: `"all"` or `"consistent"`.
    - `reward`: `"sparse"` or `"mistakes"`.
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    The game is Bulls and Cows with words. D. E. Knuth, "The computer as Master Mind", Journal of
    Recreational Mathematics 9 (1976), for the answers with repeated letters.

    ## Version History

    * v0: Initial version.
    """

    variant = CATS_AND_DOGS


class GuessTheWordEnv(WordGuessEnv):
    """Guess which word of a list is hidden by the number of exact matches.

    ## Description

    Each guess is a word of the list. Its answer is the number of places at which it has the
    secret's letter. The secret has to be found with ten guesses.
    `envs.word_guess.master.Master` lets code play that speaks in words.

    ## Action Space

    `Discrete(number of allowed words)`: guess the word `env.unwrapped.allowed[action]`.

    ## Observation Space

    A `Dict`:

    | key           | space                                         | meaning                      |
    |---------------|-----------------------------------------------|------------------------------|
    | `guesses`     | `Box(-1, allowed - 1, (max_guesses,), int32)` | the actions so far, then -1  |
    | `answers`     | `Box(-1, length, (max_guesses, 1), int8)`     | the matches of each, then -1 |
    | `num_guesses` | `Discrete(max_guesses + 1)`                   | the guesses made             |

    A guess by `env.unwrapped.guess(word)` that is not in the list has -1 in both.

    ## Starting State

    A secret drawn from the words, no guess made. `reset(options={"word": "acckzz"})` forces one.

    ## Rewards

    By default +1 for a win, -1 for a loss and 0 otherwise; with `reward="mistakes"` -1 for every
    guess that is not the secret.

    ## Episode End

    Terminates when the secret is guessed or after `max_guesses` guesses. Never truncates by
    itself; `gym.make(..., max_episode_steps=...)` does.

    ## Information

    `reset` and `step` return

    - `action_mask`: ndarray of int8, shape (allowed words,): 1 for each allowed word, or, with
      `mask="consistent"`, for each word that may still be the secret;
    - `won`: bool, whether the secret was guessed.

    ## Arguments

    - `words`: sequence of lower-case words, the secrets; 100 words of random letters if not given
      (`envs.word_guess.words.random_words`). Words of another length are not used.
    - `allowed`: the words that may be guessed, which include all secrets; the secrets if not
      given.
    - `word_length`: 6 by default, up to 21.
    - `max_guesses`: 10 by default.
    - `opponent`: `"random"` draws a secret; an `"adversary"` has none, and gives the answer that
      leaves most words consistent.
    - `mask`: `"all"` or `"consistent"`.
    - `reward`: `"sparse"` or `"mistakes"`.
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    Problem 843, "Guess the Word", https://leetcode.com/problems/guess-the-word/.

    ## Version History

    * v0: Initial version.
    """

    variant = GUESS_THE_WORD
