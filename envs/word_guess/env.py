"""Cats and Dogs and Guess the Word as Gymnasium environments: single and batched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from hangman_lab.envs.batch import BatchEnv
from hangman_lab.envs.errors import as_array
from hangman_lab.envs.games import ALL, Arrays
from hangman_lab.envs.rendering import Drawing
from hangman_lab.envs.rewards import WORD_GUESS_REWARDS, Reward, compute_rewards, make_reward
from hangman_lab.envs.single import SingleEnv
from hangman_lab.envs.word_guess.rules import WordGame, WordGuessGames

VariantName = Literal["cats_and_dogs", "guess_the_word"]


class WordGuessEnv(SingleEnv[Arrays]):
    """Guess a hidden word by guessing words.

    ## Description

    Each guess is a word of the allowed list; the answer compares it with the secret. The secret
    itself is never observed. There are two variants:

    - `"cats_and_dogs"` (`CatsAndDogs-v0`): the answer is two numbers: **dogs**, the letters at the
      same position in both words, and **cats**, the common letters at different positions.
      Repeated letters count as often as they occur in both words: `noon` for `neon` has 3 dogs.
    - `"guess_the_word"` (`GuessTheWord-v0`): the answer is the number of positions at which guess
      and secret have the same letter.

    ## Action Space

    `Discrete(number of allowed words)`: guess the word `env.unwrapped.allowed[action]`.

    ## Observation Space

    A `Dict`; `k` is 2 (cats, dogs) or 1 (matches):

    | key           | space                                         | meaning                      |
    |---------------|-----------------------------------------------|------------------------------|
    | `guesses`     | `Box(-1, allowed - 1, (max_guesses,), int32)` | the actions so far, then -1  |
    | `answers`     | `Box(-1, length, (max_guesses, k), int8)`     | their answers, then -1       |
    | `num_guesses` | `Discrete(max_guesses + 1)`                   | the guesses made             |

    ## Starting State

    A secret drawn from the words, no guess made. `reset(options={"word": "cold"})` sets the secret.

    ## Rewards

    By default +1 for a win, -1 for a loss and 0 otherwise; with `reward="mistakes"` -1 for every
    guess that is not the secret.

    ## Episode End

    Terminates when the secret is guessed or after `max_guesses` guesses. Never truncates by
    itself; `gym.make(..., max_episode_steps=...)` does.

    ## Information

    `reset` and `step` return

    - `action_mask`: ndarray of int8, shape (allowed words,): 1 for each allowed word;
    - `won`: np.bool_, whether the secret was guessed.

    ## Arguments

    - `variant`: `"cats_and_dogs"` or `"guess_the_word"`.
    - `words`: sequence of lower-case words, the secrets. By default the words of the default list
      (`web2`) for Cats and Dogs, and 100 words of random letters for Guess the Word. Words of
      another length are not used.
    - `allowed`: the words that can be guessed, including all secrets; by default the secrets.
    - `word_length`: 1 to 21; by default 4 for Cats and Dogs, 6 for Guess the Word.
    - `max_guesses`: by default 128 for Cats and Dogs, 10 for Guess the Word.
    - `reward`: `"sparse"`, `"mistakes"`, or an object as in `envs.rewards`.
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    Cats and Dogs is Bulls and Cows with words. D. E. Knuth, "The computer as Master Mind", Journal
    of Recreational Mathematics 9 (1976), for the answers with repeated letters. Guess the Word is
    problem 843, https://leetcode.com/problems/guess-the-word/.

    ## Version History

    * v0: Initial version.
    """

    def __init__(
        self,
        words: Sequence[str] | None = None,
        *,
        variant: VariantName = "cats_and_dogs",
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        reward: str | Reward = "sparse",
        render_mode: str | None = None,
    ) -> None:
        game = WordGame(words, variant, allowed, word_length, max_guesses)
        super().__init__(game, render_mode)
        #: The words that can be guessed; an action is an index into them.
        self.allowed = game.allowed
        self._reward = make_reward(reward, WORD_GUESS_REWARDS)
        self._games = WordGuessGames(1, game)
        self.observation_space = self._games.observation_space
        self.action_space = self._games.action_space

    def _secret(self) -> str:
        return self._games.secret(0)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib expects it."""
        return self._games.action_masks()[0]

    def _start(self, word: str | None) -> None:
        drawn = self._secrets.draw(self._stream, self._episode)
        self._games.start(ALL, drawn if word is None else self._secrets.encode([word]))

    def _guess(self, action: int) -> tuple[float, bool]:
        step = self._games.guess(as_array("action", [action]))
        return float(compute_rewards(self._reward, step)[0]), bool(step.won[0] or step.lost[0])

    def _observe(self) -> tuple[Arrays, Arrays]:
        batch, infos = self._games.observe_in_space(), self._games.infos()
        observation = {name: array[0] for name, array in batch.items()}
        return observation, {name: array[0] for name, array in infos.items()}

    def _draw(self, mode: str) -> Drawing:
        return self._games.draw(0, mode)


class WordGuessVectorEnv(BatchEnv[Arrays]):
    """N games of :class:`WordGuessEnv`, whose arguments it takes, as one batch.

    The rest of the arguments is documented in :class:`envs.batch.BatchEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        *,
        words: Sequence[str] | None = None,
        variant: VariantName = "cats_and_dogs",
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        reward: str | Reward = "sparse",
        render_mode: str | None = None,
    ) -> None:
        game = WordGame(words, variant, allowed, word_length, max_guesses)
        #: The words that can be guessed; an action is an index into them.
        self.allowed = game.allowed
        parts = partial(WordGuessGames, game=game), game, make_reward(reward, WORD_GUESS_REWARDS)
        super().__init__(*parts, num_envs, max_episode_steps, autoreset_mode, render_mode)
