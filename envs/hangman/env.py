"""Hangman as a Gymnasium environment."""

from __future__ import annotations

from envs.hangman.observation import Observation
from envs.hangman.task import HangmanTask
from envs.single import SingleEnv


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

    task_type = HangmanTask
