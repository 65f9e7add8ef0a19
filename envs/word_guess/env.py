"""Cats and Dogs and Guess the Word as a Gymnasium environment."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.errors import check_integer
from hangman_lab.envs.rendering import Drawing, text_picture
from hangman_lab.envs.rewards import WORD_GUESS_REWARDS, RewardLike, compute_reward, make_reward
from hangman_lab.envs.single import SingleEnv
from hangman_lab.envs.word_guess.rules import WordGame
from hangman_lab.envs.words import WordsLike, word_count

_MAX_IMAGE_LINES = 17
VariantName = Literal["cats_and_dogs", "guess_the_word"]


class WordGuessResult(NamedTuple):
    """The result of one guess; a reward of the caller gets arrays of shape (1,)."""

    won: bool  # the guess won the game
    lost: bool  # the guess lost the game


class WordGuessEnv(SingleEnv[dict[str, Any]]):
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
      (`web2`) for Cats and Dogs, and 100 words of random letters (26 of one letter) for Guess the
      Word. Words of another length are not used.
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
        words: WordsLike | None = None,
        *,
        variant: VariantName = "cats_and_dogs",
        allowed: WordsLike | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        reward: RewardLike = "sparse",
        render_mode: str | None = None,
    ) -> None:
        game = WordGame(words, variant, allowed, word_length, max_guesses)
        super().__init__(game, render_mode)
        self._game = game
        #: The words that can be guessed; an action is an index into them.
        self.allowed = game.allowed
        self._reward = make_reward(reward, WORD_GUESS_REWARDS)
        shape = game.max_guesses, len(game.answer_names)
        self.action_space = spaces.Discrete(len(game.allowed))
        self.observation_space = spaces.Dict(
            {
                "guesses": spaces.Box(-1, len(game.allowed) - 1, shape[:1], np.int32),
                "answers": spaces.Box(-1, game.word_length, shape, np.int8),
                "num_guesses": spaces.Discrete(game.max_guesses + 1),
            }
        )
        self._guesses = np.zeros(shape[:1], dtype=np.int32)
        self._answers = np.zeros(shape, dtype=np.int8)

    def _secret(self) -> str:
        return self.allowed[self._hidden[0]]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib expects it."""
        return np.ones(len(self.allowed), dtype=np.bool_)

    def _start(self, word: str | None) -> None:
        drawn = self._secrets.draw(self._stream, self._episode)
        self._hidden = drawn if word is None else self._secrets.encode([word])
        self._guesses[:] = self._answers[:] = -1
        self._num_guesses = 0
        self._won = False

    def _guess(self, action: int) -> tuple[float, bool]:
        game, turn = self._game, self._num_guesses
        guess = check_integer("action", action, 0, len(game.allowed) - 1)
        code = game.answer(np.array([guess]), self._hidden)
        self._guesses[turn], self._answers[turn] = guess, game.answers[code]
        self._num_guesses += 1
        self._won = bool(code == game.solved)
        has_ended = self._won or self._num_guesses == game.max_guesses
        result = WordGuessResult(self._won, has_ended and not self._won)
        return compute_reward(self._reward, result), has_ended

    def _observe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        observation = {
            "guesses": self._guesses.copy(),
            "answers": self._answers.copy(),
            "num_guesses": np.int64(self._num_guesses),
        }
        mask = self.action_masks().view(np.int8)
        return observation, {"action_mask": mask, "won": np.bool_(self._won)}

    def _draw(self, mode: str) -> Drawing:
        game, made = self._game, self._num_guesses
        lines = []
        for turn in range(made):
            named = zip(game.answer_names, self._answers[turn], strict=True)
            answer = "  ".join(f"{name} {count}" for name, count in named)
            lines.append(f"{turn + 1:>4}  {self.allowed[self._guesses[turn]]}  {answer}")
        if mode == "rgb_array":
            lines = lines[-_MAX_IMAGE_LINES:]
        size = f"{word_count(len(game.allowed))} of {game.word_length} letters"
        lines.insert(0, f"{size}, {made} of {game.max_guesses} guesses")
        if self._won:
            lines.append("won")
        elif made == game.max_guesses:
            lines.append(f"lost; the word was {self._secret()}")
        text = "\n".join(lines)
        return text_picture(text) if mode == "rgb_array" else text
