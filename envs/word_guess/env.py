"""Cats and Dogs and Guess the Word as Gymnasium environments."""

from __future__ import annotations

import numpy as np

from envs.single import SingleEnv
from envs.word_guess.observation import NO_WORD, Observation
from envs.word_guess.task import CatsAndDogsTask, GuessTheWordTask, WordGuessTask


class WordGuessEnv(SingleEnv[Observation]):
    """What the two games share; use :class:`CatsAndDogsEnv` or :class:`GuessTheWordEnv`."""

    _task: WordGuessTask

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._task.words.allowed

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
        index = self._task.words.index(word)
        step = self._task.games.guess(np.array([NO_WORD if index is None else index]))
        if index is None:
            return None
        return tuple(self._task.rule.answers_by_code[step.codes[0]].tolist())


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

    task_type = CatsAndDogsTask


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

    task_type = GuessTheWordTask
