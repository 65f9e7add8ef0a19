"""Hangman as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.encoding import MAX_LENGTH, NUM_LETTERS, decode
from envs.hangman.observation import Observation, action_mask, observation_space
from envs.hangman.rendering import RENDER_FPS, render_rgb_array, render_text
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.hangman.secrets import SecretWords
from envs.keyed_random import new_stream


class HangmanEnv(gym.Env[Observation, int]):
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

    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": RENDER_FPS}  # noqa: RUF012

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
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(
                f"render_mode: {render_mode!r} is not one of {self.metadata['render_modes']}"
            )
        self.render_mode = render_mode
        self._secrets = SecretWords(words, min_length, max_length, sampling)
        self._games = HangmanGames(1, self._secrets.width, max_wrong, repeated_guess)
        self._reward = make_reward(reward)
        self._stream: np.uint64 | None = None
        self._episode = 0
        self.observation_space = observation_space(self._secrets.width, max_wrong)
        self.action_space = spaces.Discrete(NUM_LETTERS)

    @property
    def secret(self) -> str:
        """The hidden word. It is for people who look on; a player does not see it."""
        return decode(self._games.secrets[0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (26,), as sb3-contrib asks for it."""
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
            ``{"word": str}`` forces the secret word.

        Raises
        ------
        ValueError
            If a forced word is not one of letters a to z that fits the observation.
        """
        super().reset(seed=seed)
        if seed is not None or self._stream is None:
            self._stream = new_stream(self.np_random)
            self._episode = 0
        if options and "word" in options:
            secret = self._secrets.encode([options["word"]])
        else:
            secret = self._secrets.draw(np.array([self._stream]), np.array([self._episode]))
        self._episode += 1
        self._games.start(slice(None), secret)
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Guess a letter.

        Raises
        ------
        ValueError
            If ``action`` is outside 0..25.
        gymnasium.error.ResetNeeded
            If no game is going on.
        """
        if self._stream is None or self._games.over[0]:
            raise gym.error.ResetNeeded("Cannot call step: the game is over, call reset first")
        step = self._games.guess(np.array([action], dtype=np.int64))
        reward = float(self._reward(step, self._games.max_wrong)[0])
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, bool(step.won[0] | step.lost[0]), False, self._info()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the game as text (``ansi``) or a picture (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                'for example gym.make("envs:Hangman-v0", render_mode="ansi").'
            )
            return None
        secret = self.secret if self._games.over[0] else None
        if self.render_mode == "rgb_array":
            return render_rgb_array(self._observe(), self._games.max_wrong, secret)
        text = render_text(self._observe(), self._games.max_wrong, secret)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _observe(self) -> Observation:
        games = self._games.observe()
        return Observation(
            word=games["word"][0], guessed=games["guessed"][0], lives=games["lives"][0]
        )

    def _info(self) -> dict[str, Any]:
        guessed = self._games.observe()["guessed"][0]
        return {"action_mask": action_mask(guessed), "won": bool(self._games.won[0])}
