"""Hangman as a Gymnasium environment."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.encoding import ALPHABET, BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.hosts import make_game
from hangman_lab.envs.hangman.observation import Observation, make_observation_space
from hangman_lab.envs.hangman.rendering import draw_game
from hangman_lab.envs.hangman.rules import Host, RepeatedGuess, Rules
from hangman_lab.envs.rendering import Drawing
from hangman_lab.envs.rewards import RewardLike, compute_reward, make_reward
from hangman_lab.envs.secret_words import Part, SecretWords
from hangman_lab.envs.single import SingleEnv
from hangman_lab.envs.words import WordsLike


class HangmanEnv(SingleEnv[Observation]):
    """Guess a hidden word letter by letter.

    ## Description

    Guess a hidden word letter by letter. A correct letter is uncovered at all its positions; a
    wrong letter costs a life. The word itself is never observed, so the environment is partially
    observable: different words can have the same observation.

    ## Action Space

    `Discrete(26)`: guess the letter `chr(ord("a") + action)`.

    ## Observation Space

    A `Dict`:

    | key       | space                         | meaning                                          |
    |-----------|-------------------------------|--------------------------------------------------|
    | `word`    | `MultiDiscrete([28] * width)` | 0 after the end, 1 a blank, `2 + k` is letter k  |
    | `guessed` | `Box(0, 1, (26,), int8)`      | 1 for each letter that has been guessed          |
    | `lives`   | `Discrete(max_wrong + 1)`     | the wrong guesses left                           |

    `width` is the length of the longest word of the list, also of a part of it. `word` is an array
    of int16, `lives` an int64.

    ## Starting State

    A word drawn from the list, all blanks, no letter guessed, `max_wrong` lives.
    `reset(options={"word": "apple"})` sets the word, if the host is random.

    ## Rewards

    By default +1 for a win, -1 for a loss and 0 otherwise; see `envs.rewards` for the
    dense and the potential-based reward.

    ## Episode End

    Terminates when the word is uncovered or the last life is lost. `gym.make` truncates after
    100 steps, which only games with `repeated_guess="free"` reach; `max_episode_steps` changes it.
    The class itself never truncates.

    ## Information

    `reset` and `step` return

    - `action_mask`: ndarray of int8, shape (26,), 1 for each letter that has not been guessed;
    - `won`: np.bool_, whether the word is uncovered.

    ## Arguments

    - `words`: sequence of lower-case words; the default list (`web2`) if not given.
    - `split`: `"train"`, `"valid"` or `"test"` for the words of this part of the project's split
      alone; all words if not given.
    - `max_wrong`: the number of wrong guesses that loses the game, 1 to 26; 6 by default.
    - `min_length`, `max_length`: range of word lengths; other words are not used.
    - `reward`: a name of `envs.rewards`, such as `"dense"`, or an object; `"sparse"` by default.
    - `repeated_guess`: whether a repeated letter costs a `"life"` (default) or is `"free"`.
    - `host`: `"random"` draws the word (default); `"evil"` commits to none: after each guess it
      keeps the largest set of words with the same answer (`envs.hangman.evil`, needs Numba).
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## Version History

    * v0: Initial version.
    """

    _game: Game

    def __init__(
        self,
        words: WordsLike | None = None,
        *,
        split: Part | None = None,
        max_wrong: int = Rules.max_wrong,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        reward: RewardLike = "sparse",
        repeated_guess: RepeatedGuess = Rules.repeated_guess,
        host: Host = Rules.host,
        render_mode: str | None = None,
    ) -> None:
        #: The rules of its games.
        self.rules = Rules(max_wrong=max_wrong, repeated_guess=repeated_guess, host=host)
        #: The number of wrong guesses that loses a game.
        self.max_wrong = self.rules.max_wrong
        self._secrets: SecretWords
        secrets = SecretWords(words, min_length, max_length, host == "random", split)
        super().__init__(secrets, render_mode)
        self.observation_space: Any = make_observation_space(secrets.width, self.rules)
        self.action_space: Any = spaces.Discrete(NUM_LETTERS)
        self._reward = make_reward(reward)
        # The observation, which each guess changes; made once because arrays of one game are slow.
        self._word = np.zeros(secrets.width, dtype=np.int16)
        self._guessed = np.zeros(NUM_LETTERS, dtype=np.int8)
        self._mask = np.ones(NUM_LETTERS, dtype=np.int8)
        self._lives = [np.int64(lives) for lives in range(self.rules.max_wrong + 1)]

    def _secret(self) -> str:
        return self._game.secret

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib expects it."""
        return self._mask != 0

    def _start(self, word: str | None) -> None:
        if word is None:
            word = self._secrets.words[self._secrets.draw_rows(self._stream, self._episode)[0]]
        self._game = make_game(self.rules, self._secrets, word)
        self._word[:] = 0
        self._word[: len(word)] = BLANK
        self._guessed[:] = 0
        self._mask[:] = 1
        for letter in map(ALPHABET.index, self._game.guesses):
            self._show(letter)

    def _show(self, letter: int) -> None:
        """Write a guessed letter to the observation."""
        self._guessed[letter] = 1
        self._mask[letter] = 0
        secret, name = self._game.secret, ALPHABET[letter]
        place = secret.find(name)
        while place >= 0:
            self._word[place] = FIRST_LETTER + letter
            place = secret.find(name, place + 1)

    def _guess(self, action: int) -> tuple[float, bool]:
        try:
            letter = -1 if isinstance(action, bool) else index(action)
        except TypeError:
            letter = -1
        if not 0 <= letter < NUM_LETTERS:
            raise InputError(f"action: {action!r} is not an integer in 0..{NUM_LETTERS - 1}")
        game = self._game
        lives, shown = game.lives, game.shown
        game.guess(letter)
        self._show(letter)
        result = game.result_since(lives, shown)
        return compute_reward(self._reward, result), game.over

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        game = self._game
        observation = Observation(
            word=self._word.copy(), guessed=self._guessed.copy(), lives=self._lives[game.lives]
        )
        return observation, {"action_mask": self._mask.copy(), "won": np.bool_(game.won)}

    def _draw(self, mode: str) -> Drawing:
        secret = self._game.secret if self._game.over else None
        return draw_game(self._observe()[0], secret, self.rules.max_wrong, mode)
