"""Hangman as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.encoding import MAX_LENGTH, NUM_LETTERS, decode
from envs.hangman.observation import Observation, action_mask, observation_space
from envs.hangman.rendering import RENDER_FPS, render_rgb_array, render_text
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.hangman.secrets import SecretWords
from envs.single import RENDER_MODES, SingleEnv


class HangmanEnv(SingleEnv[Observation]):
    """Guess a hidden word letter by letter.

    ## Description

    Guess a hidden word letter by letter. A letter that is in the word is uncovered wherever it
    stands; a letter that is not costs a life. The word itself is never observed, so that the
    environment is partly observable: the same observation can hide many words.

    ## Action Space

    `Discrete(26)`: guess the letter `chr(ord("a") + action)`.

    ## Observation Space

    A `Dict`:

    | key       | space                         | meaning                                          |
    |-----------|-------------------------------|--------------------------------------------------|
    | `word`    | `Box(0, 27, (width,), uint8)` | 0 after the end, 1 a blank, `2 + k` for letter k |
    | `guessed` | `MultiBinary(26)`             | 1 for each letter that has been guessed          |
    | `lives`   | `Discrete(max_wrong + 1)`     | the wrong guesses that are left                  |

    `width` is the length of the longest word of the list.

    ## Starting State

    A word drawn from the list, all blanks, no letter guessed, `max_wrong` lives.
    `reset(options={"word": "apple"})` forces a word.

    ## Rewards

    By default +1 for a win, -1 for a loss and 0 otherwise; see `envs.hangman.rewards` for the
    dense and the potential-based reward.

    ## Episode End

    Terminates when the word is uncovered or the last life is lost. Never truncates by itself;
    `gym.make(..., max_episode_steps=...)` does.

    ## Information

    `reset` and `step` return

    - `action_mask`: ndarray of int8, shape (26,), 1 for each letter that has not been guessed;
    - `won`: bool, whether the word is uncovered.

    ## Arguments

    - `words`: sequence of lower-case words; the default list (`web2`) if not given.
    - `max_wrong`: the number of wrong guesses that loses, 1 to 26; 6 by default.
    - `min_length`, `max_length`: words outside are not used.
    - `sampling`: `"uniform"` over words, or `"by_length"`: uniform over lengths first.
    - `reward`: `"sparse"`, `"dense"`, `"potential"`, or an object of `envs.hangman.rewards`.
    - `repeated_guess`: a letter guessed again costs a `"life"` (default) or is `"free"`.
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    Y. Ng, D. Harada and S. Russell, "Policy invariance under reward transformations", ICML 1999,
    for the potential-based reward.

    ## Version History

    * v0: Initial version.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        words: Sequence[str] | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: str = "uniform",
        reward: str | Reward = "sparse",
        repeated_guess: str = "life",
        render_mode: str | None = None,
    ) -> None:
        super().__init__("Hangman-v0", render_mode)
        self._secrets = SecretWords(words, min_length, max_length, sampling)
        self._games = HangmanGames(1, self._secrets.width, max_wrong, repeated_guess)
        self._reward = make_reward(reward)
        self.observation_space = observation_space(self._secrets.width, max_wrong)
        self.action_space = spaces.Discrete(NUM_LETTERS)

    @property
    def secret(self) -> str:
        """The hidden word. It is for people who look on; a player does not see it."""
        return decode(self._games.secrets[0])

    def _begin(
        self,
        streams: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.int64],
        words: list[str] | None,
    ) -> None:
        if words is None:
            secret = self._secrets.draw(streams, episodes)
        else:
            secret = self._secrets.encode(words)
        self._games.start(slice(None), secret)

    def _play(self, action: int) -> tuple[float, bool]:
        step = self._games.guess(np.array([action], dtype=np.int64))
        reward = float(self._reward(step, self._games.max_wrong)[0])
        return reward, bool(step.won[0] | step.lost[0])

    def _get_info(self) -> dict[str, Any]:
        guessed = self._games.observe()["guessed"][0]
        return {"action_mask": action_mask(guessed), "won": bool(self._games.won[0])}

    def _render_frame(self) -> str | npt.NDArray[np.uint8]:
        draw = render_rgb_array if self.render_mode == "rgb_array" else render_text
        secret = self.secret if self._games.over[0] else None
        return draw(self._get_obs(), self._games.max_wrong, secret)
