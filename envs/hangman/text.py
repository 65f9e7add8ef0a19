"""Hangman as text, for language models."""

from __future__ import annotations

import re
import string
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.encoding import ALPHABET, MAX_LENGTH
from hangman_lab.envs.errors import InputError, check_choice
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.hosts import make_game
from hangman_lab.envs.hangman.rules import Host, RepeatedGuess, Rules
from hangman_lab.envs.rewards import RewardLike, compute_reward, make_reward
from hangman_lab.envs.secret_words import Part, SecretWords
from hangman_lab.envs.single import SingleEnv
from hangman_lab.envs.words import WordsLike

InvalidReply = Literal["life", "free"]

# Not ``re.IGNORECASE``, which lets characters outside a to z match letters.
_GUESS = re.compile(r"\[\s*([A-Za-z]+)\s*\]")
# The tags of models around their thoughts: <think>, <seed:think>, [THINK] and others.
_NAME = r"(?:\w+:)?(?i:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad)"
_OPENING = re.compile(
    rf"<{_NAME}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|?>(?!\s*final)"
)
_CLOSING = re.compile(
    rf"</{_NAME}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>|<\|channel\|>\s*final"
)
# The longest text has 25 wrong words of 32 letters.
_MAX_TEXT = 2_048
_CHARACTERS = frozenset(string.ascii_letters + string.digits + string.punctuation + " \n")


def without_thoughts(reply: str) -> str:
    """Return what follows the last thought of a reply, up to a thought without an end."""
    return _OPENING.split(_CLOSING.split(reply)[-1])[0]


class TextHangman(SingleEnv[Any]):
    """Guess a hidden word by text, for language models.

    ## Description

    The game of `HangmanEnv`, with the same words for the same seed. A reply is any text; its guess
    is the last letter or word in square brackets, such as `[e]` or `[apple]`, in upper or lower
    case. Thoughts do not count: what stands before the last `</think>`, or after a `<think>`
    without an end, and in other models' tags. An evil host answers that a word is wrong unless no
    other word of the list fits.

    | the guess                                          | the answer               | costs    |
    |----------------------------------------------------|--------------------------|----------|
    | a letter of the word, or the word                  | `e is right.`            | nothing  |
    | another letter, or another word that may be it     | `a is wrong.`            | a life   |
    | a letter, or a wrong word, for the second time     | `a was guessed before.`  | repeated |
    | a word of another length                           | `The word has 5 letters.`| invalid  |
    | a word that the known letters rule out             | `apply does not fit.`    | invalid  |
    | none, or something else in the brackets            | `No guess in square ...` | invalid  |

    What a repeated guess and an invalid reply cost is an argument.

    ## Action Space

    `Text`. Texts outside the space are replies, too.

    ## Observation Space

    `Text`: the rules (`reset`) or the answer (`step`), and a line with the word, wrong letters and
    words, and the lives left: `_ e _ _ e | wrong: a o | lives: 4`. Nothing of earlier games is in
    it, and the word is not until it is shown.

    ## Starting State

    A word drawn from the list, all blanks, `max_wrong` lives. `reset(options={"word": "apple"})`
    sets the word, if the host is random.

    ## Rewards

    As in `HangmanEnv`: by default +1 for a win, -1 for a loss and 0 otherwise. The right word shows
    all blanks at once.

    ## Episode End

    Terminates when the word is shown, by letters or as a whole, or the last life is lost. Games
    with `repeated_guess="free"` or `invalid_reply="free"` may not end; the class never truncates.

    ## Information

    `reset` and `step` return

    - `won`: bool, whether the word is shown;
    - `valid`: bool, false after a repeated guess or an invalid reply;
    - `wrong_guesses`: int, the number of wrong letters and words.

    ## Arguments

    Those of `HangmanEnv`, and

    - `invalid_reply`: whether an invalid reply costs a `"life"` (default) or is `"free"`;
    - `render_mode`: `"ansi"` (the last observation) or `"human"` (prints it).

    ## Version History

    * v0: Initial version.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 2}  # noqa: RUF012
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
        invalid_reply: InvalidReply = "life",
        render_mode: str | None = None,
    ) -> None:
        #: The rules of its games.
        self.rules = Rules(max_wrong=max_wrong, repeated_guess=repeated_guess, host=host)
        #: The number of lost lives that loses a game.
        self.max_wrong = self.rules.max_wrong
        check_choice("invalid_reply", invalid_reply, get_args(InvalidReply))
        self._secrets: SecretWords
        secrets = SecretWords(words, min_length, max_length, host == "random", split)
        super().__init__(secrets, render_mode)
        text = spaces.Text(_MAX_TEXT, min_length=0, charset=_CHARACTERS)
        self.observation_space: Any = text
        self.action_space: Any = text
        self._invalid_reply = invalid_reply
        self._reward = make_reward(reward)
        costs = ["A wrong guess"]
        costs += ["a repeated guess"] * (self.rules.repeated_guess == "life")
        costs += ["a reply without a possible guess"] * (invalid_reply == "life")
        self._prompt = (
            "Guess the hidden word. Reply with [one letter] or [the whole word], in square "
            "brackets; the last one after your thoughts counts. "
            f"{', '.join([*costs[:-2], ' or '.join(costs[-2:])])} costs a life."
        )

    def _secret(self) -> str:
        return self._game.secret

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (26,)."""
        self._require_reset("action_masks")
        return np.array([letter not in self._game.guesses for letter in ALPHABET])

    def _start(self, word: str | None) -> None:
        if word is None:
            word = self._secrets.words[self._secrets.draw_rows(self._stream, self._episode)[0]]
        self._game = make_game(self.rules, self._secrets, word)
        #: Wrong letters and words, in the order of the guesses.
        self._wrong: list[str] = []
        self._answer = self._prompt
        self._valid = True

    def _guess(self, action: Any) -> tuple[float, bool]:
        if not isinstance(action, str):
            raise InputError(f"action: an object of type {type(action).__name__} is not a str")
        game = self._game
        lives, shown = game.lives, game.shown
        guesses = _GUESS.findall(without_thoughts(action))
        self._answer, self._valid = self._play(guesses[-1].lower() if guesses else "")
        if game.over:
            self._answer += " You won." if game.won else " You lost."
        return compute_reward(self._reward, game.result_since(lives, shown)), game.over

    def _play(self, guess: str) -> tuple[str, bool]:
        """Play a guess, empty if there is none; return the answer and whether it is valid."""
        game = self._game
        if guess in self._wrong or (len(guess) == 1 and guess in game.guesses):
            game.lives -= self.rules.repeated_guess == "life"
            return f"{guess} was guessed before.", False
        if len(guess) == 1:
            is_right = game.guess(ALPHABET.index(guess)) > 0
        elif problem := self._find_problem(guess):
            game.lives -= self._invalid_reply == "life"
            return problem, False
        else:
            is_right = game.guess_word(guess)
        if not is_right:
            self._wrong.append(guess)
        return f"{guess} is {'right' if is_right else 'wrong'}.", True

    def _find_problem(self, word: str) -> str:
        """Return why a word cannot be the secret, from what the player knows; empty if it can."""
        secret, guesses = self._game.secret, self._game.guesses
        if not word:
            return "No guess in square brackets."
        if len(word) != len(secret):
            return f"The word has {len(secret)} letters."
        fits = all(
            letter == shown if shown in guesses else letter not in guesses
            for letter, shown in zip(word, secret, strict=True)
        )
        return "" if fits else f"{word} does not fit."

    def _observe(self) -> tuple[str, dict[str, Any]]:
        game = self._game
        text = (
            f"{self._answer}\n{' '.join(game.word)} | wrong: {' '.join(self._wrong) or '-'} "
            f"| lives: {game.lives}"
        )
        return text, {"won": game.won, "valid": self._valid, "wrong_guesses": len(self._wrong)}

    def _draw(self, mode: str) -> str:
        return self._observe()[0]
