"""Hangman as Gymnasium environments: single, and N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

from gymnasium.vector import AutoresetMode

from hangman_lab.envs.batch import BatchEnv
from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.envs.errors import check_choice
from hangman_lab.envs.hangman.observation import DEFAULT_MAX_WRONG, Observation, Observations
from hangman_lab.envs.hangman.rendering import draw_game
from hangman_lab.envs.hangman.rules import HangmanGames, Host, RepeatedGuess
from hangman_lab.envs.rewards import Reward, make_reward
from hangman_lab.envs.single import EnvParts, SingleEnv
from hangman_lab.envs.words import SecretWords


def _make_parts(
    words: Sequence[str] | None,
    max_wrong: int,
    min_length: int,
    max_length: int,
    reward: str | Reward,
    repeated_guess: str,
    host: str,
) -> EnvParts:
    """Return the parts of an environment."""
    check_choice("host", host, get_args(Host))
    secrets = SecretWords(words, min_length, max_length, settable=host == "random")
    rules: dict[str, Any] = {"max_wrong": max_wrong, "repeated_guess": repeated_guess}
    if host == "evil":
        # Needs Numba, which the random host does without.
        from hangman_lab.envs.hangman.evil import EvilHangmanGames

        make_games: Any = partial(EvilHangmanGames, words=secrets.words, **rules)
    else:
        make_games = partial(HangmanGames, width=secrets.width, **rules)
    return EnvParts(make_games, secrets, make_reward(reward), draw_game)


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
    | `word`    | `Box(0, 27, (width,), uint8)` | 0 after the end, 1 a blank, `2 + k` is letter k |
    | `guessed` | `MultiBinary(26)`             | 1 for each letter that has been guessed          |
    | `lives`   | `Discrete(max_wrong + 1)`     | the wrong guesses left                           |

    `width` is the length of the longest word of the list.

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
    - `won`: bool, whether the word is uncovered.

    ## Arguments

    - `words`: sequence of lower-case words; the default list (`web2`) if not given.
    - `max_wrong`: the number of wrong guesses that loses the game, 1 to 26; 6 by default.
    - `min_length`, `max_length`: range of word lengths; other words are not used.
    - `reward`: `"sparse"`, `"dense"`, `"potential"`, or an object of `envs.rewards`.
    - `repeated_guess`: whether a repeated letter costs a `"life"` (default) or is `"free"`.
    - `host`: `"random"` draws the word (default); `"evil"` commits to none: after each guess it
      keeps the largest set of words with the same answer (`envs.hangman.evil`, needs Numba).
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    A. Y. Ng, D. Harada and S. Russell, "Policy invariance under reward transformations", ICML
    1999, for the potential-based reward.

    ## Version History

    * v0: Initial version.
    """

    _games: HangmanGames

    def __init__(
        self,
        words: Sequence[str] | None = None,
        *,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        reward: str | Reward = "sparse",
        repeated_guess: RepeatedGuess = "life",
        host: Host = "random",
        render_mode: str | None = None,
    ) -> None:
        rules = reward, repeated_guess, host
        parts = _make_parts(words, max_wrong, min_length, max_length, *rules)
        super().__init__(parts, render_mode)

    @property
    def max_wrong(self) -> int:
        """The number of wrong guesses that loses a game."""
        return self._games.max_wrong


class HangmanVectorEnv(BatchEnv[Observations]):
    """N games of :class:`HangmanEnv`, whose arguments it takes, as one batch.

    Game ``i`` of a batch seeded with ``s`` equals the game of a single environment seeded with
    ``s + i``: it has the same words, observations, rewards and ends. The rest of the arguments is
    documented in :class:`envs.batch.BatchEnv`.
    """

    _games: HangmanGames

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        *,
        words: Sequence[str] | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        reward: str | Reward = "sparse",
        repeated_guess: RepeatedGuess = "life",
        host: Host = "random",
        render_mode: str | None = None,
    ) -> None:
        rules = reward, repeated_guess, host
        parts = _make_parts(words, max_wrong, min_length, max_length, *rules)
        super().__init__(parts, num_envs, max_episode_steps, autoreset_mode, render_mode)

    @property
    def max_wrong(self) -> int:
        """The number of wrong guesses that loses a game."""
        return self._games.max_wrong
