"""Cats and Dogs and Guess the Word as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.single import RENDER_MODES, SingleEnv
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


class WordGuessEnv(SingleEnv[Observation]):
    """What the two games share; use :class:`CatsAndDogsEnv` or :class:`GuessTheWordEnv`."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012
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
        super().__init__(self.variant.env_id, render_mode)
        self._options = GameOptions(
            self.variant, words, allowed, word_length, max_guesses, opponent, mask, reward
        )
        self._games = self._options.make_games(1)
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
        self._require_game()
        index = self._options.words.index(word)
        step = self._guess(NO_WORD if index is None else index)
        if index is None:
            return None
        return tuple(self._options.rule.answers_by_code[step.codes[0]].tolist())

    def _guess(self, word: int) -> Step:
        return self._games.guess(np.array([word], dtype=np.int64))

    def _begin(
        self,
        streams: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.int64],
        words: list[str] | None,
    ) -> None:
        self._games.start(slice(None), self._options.secrets(streams, episodes, words))

    def _play(self, action: int) -> tuple[float, bool]:
        if not 0 <= action < len(self.allowed):
            raise ValueError(f"an action is outside 0..{len(self.allowed) - 1}")
        step = self._guess(int(action))
        return float(reward(self._options.reward, step)[0]), bool(step.won[0] | step.lost[0])

    def _get_info(self) -> dict[str, Any]:
        return {
            "action_mask": self._options.action_mask(self._games)[0],
            "won": bool(self._games.won[0]),
        }

    def _render_frame(self) -> str | npt.NDArray[np.uint8]:
        draw = render_rgb_array if self.render_mode == "rgb_array" else render_text
        return draw(
            self._get_obs(),
            self._options.rule,
            self.allowed,
            bool(self._games.won[0]),
            self.secret if self._games.over[0] else None,
        )


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
