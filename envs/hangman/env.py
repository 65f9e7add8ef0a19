"""Hangman as Gymnasium environments: single, and N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hangman_lab.envs.batch import BatchEnv
from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.envs.errors import check_choice
from hangman_lab.envs.hangman.learning import LearningHangmanGames
from hangman_lab.envs.hangman.observation import DEFAULT_MAX_WRONG, Observation
from hangman_lab.envs.hangman.rendering import draw_game
from hangman_lab.envs.hangman.rules import HOSTS, HangmanGames
from hangman_lab.envs.rewards import Reward, make_reward
from hangman_lab.envs.single import GameParts, SingleEnv
from hangman_lab.envs.words import SecretWords


def _make_game(
    num_games: int,
    words: Sequence[str] | None = None,
    max_wrong: int = DEFAULT_MAX_WRONG,
    min_length: int = 1,
    max_length: int = MAX_LENGTH,
    reward: str | Reward = "sparse",
    repeated_guess: str = "life",
    host: str = "random",
) -> GameParts:
    """Return the parts of an environment."""
    check_choice("host", host, HOSTS)
    secrets: Any = SecretWords(words, min_length, max_length, settable=host == "random")
    rules = max_wrong, repeated_guess
    if host == "evil":
        # Needs Numba, which the other environments do without.
        from hangman_lab.envs.hangman.evil import EvilHangmanGames

        games: HangmanGames = EvilHangmanGames(num_games, secrets.words, *rules)
    elif host == "learning":
        games = secrets = LearningHangmanGames(num_games, secrets, *rules)
    else:
        games = HangmanGames(num_games, secrets.width, *rules)
    return GameParts(games, secrets, make_reward(reward), draw_game)


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
      keeps the largest set of words with the same answer (`envs.hangman.evil`, needs Numba);
      `"learning"` learns which words are lost (`envs.hangman.learning`).
    - `render_mode`: `"ansi"`, `"human"` (prints to the terminal) or `"rgb_array"`.

    ## References

    A. Y. Ng, D. Harada and S. Russell, "Policy invariance under reward transformations", ICML
    1999, for the potential-based reward.

    ## Version History

    * v0: Initial version.
    """

    def __init__(
        self,
        words: Sequence[str] | None = None,
        *,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        reward: str | Reward = "sparse",
        repeated_guess: str = "life",
        host: str = "random",
        render_mode: str | None = None,
    ) -> None:
        rules = reward, repeated_guess, host
        parts = _make_game(1, words, max_wrong, min_length, max_length, *rules)
        super().__init__(parts, render_mode)


class HangmanVectorEnv(BatchEnv[Observation]):
    """N games of :class:`HangmanEnv`, whose keyword arguments it takes, as one batch.

    Game ``i`` of a batch seeded with ``s`` equals the game of a single environment seeded with
    ``s + i``: it has the same words, observations, rewards and ends.
    """

    _make_game = staticmethod(_make_game)
