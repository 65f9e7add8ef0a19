"""Hangman as Gymnasium environments: single, and N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from gymnasium.vector import AutoresetMode

from hangman_lab.envs.batch import BatchEnv
from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.envs.errors import check_at_least
from hangman_lab.envs.hangman.observation import DEFAULT_MAX_WRONG, Observation
from hangman_lab.envs.hangman.rendering import draw_game
from hangman_lab.envs.hangman.rules import HangmanGames
from hangman_lab.envs.rewards import Reward, make_reward
from hangman_lab.envs.single import SingleEnv
from hangman_lab.envs.words import SecretWords


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
    `reset(options={"word": "apple"})` sets the word.

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
        render_mode: str | None = None,
    ) -> None:
        secrets = SecretWords(words, min_length, max_length)
        games = HangmanGames(1, secrets.width, max_wrong, repeated_guess)
        super().__init__(games, secrets, make_reward(reward), draw_game, render_mode)


class HangmanVectorEnv(BatchEnv[Observation]):
    """N games of :class:`HangmanEnv`, played as one batch.

    Game ``i`` of a batch seeded with ``s`` equals the game of a single environment seeded with
    ``s + i``: it has the same words, observations, rewards and ends.

    Parameters
    ----------
    num_envs : int
        Number of games.
    max_episode_steps : int, optional
        Truncates a game after this many steps.
    autoreset_mode : AutoresetMode or str
        ``NEXT_STEP`` (the step after an end starts the next game and ignores the action),
        ``SAME_STEP`` (the step that ends a game starts the next; the end is in
        ``info["final_obs"]`` and ``info["final_info"]``) or ``DISABLED`` (``reset`` with a
        ``reset_mask`` starts the next game; until then ``step`` raises ``ResetNeeded``).
    words, max_wrong, min_length, max_length, reward, repeated_guess
        As for :class:`HangmanEnv`.
    render_mode : str, optional
        ``"ansi"`` or ``"rgb_array"``.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """

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
        repeated_guess: str = "life",
        render_mode: str | None = None,
    ) -> None:
        check_at_least("num_envs", num_envs, 1)
        secrets = SecretWords(words, min_length, max_length)
        games = HangmanGames(num_envs, secrets.width, max_wrong, repeated_guess)
        reward = make_reward(reward)
        super().__init__(
            games, secrets, reward, draw_game, max_episode_steps, autoreset_mode, render_mode
        )
