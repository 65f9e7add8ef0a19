"""The rules of word guessing for N games at once."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict, cast

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.games import ALL, Games, Index, check_array, get_arrays, with_dtypes
from hangman_lab.envs.rendering import Drawing, text_picture
from hangman_lab.envs.word_guess.words import WordGame

NO_WORD = -1
NO_ANSWER = -1
_MAX_IMAGE_LINES = 17
_DTYPES = {"guesses": np.int32, "answers": np.int8, "num_guesses": np.int64}


class Observation(TypedDict):
    """The observation of one game, or of N games along the first axis.

    Guesses are indices into the allowed list, in order. Rows from ``num_guesses`` on are -1.
    """

    guesses: npt.NDArray[np.int32]  # (max_guesses,)
    answers: npt.NDArray[np.int8]  # (max_guesses, 2): cats and dogs, or (max_guesses, 1): matches
    num_guesses: npt.NDArray[np.int64]  # (): the guesses made, 0 to ``max_guesses``


def check_observations(observations: Any, game: WordGame) -> Observation:
    """Return the observations of N games with the dtypes that agents play.

    Raises InputError if a key is missing, or an array has another shape, no integers, or a guess or
    an answer that is not possible.
    """
    guesses, answers, made = get_arrays(observations, _DTYPES)
    turns = guesses.shape[-1] if guesses.ndim else 0
    shape = made.size, turns
    check_array("num_guesses", made, shape[:1], 0, turns)
    check_array("guesses", guesses, shape, NO_WORD, len(game) - 1)
    numbers = len(game.variant.answer_names)
    check_array("answers", answers, (*shape, numbers), NO_ANSWER, game.word_length)
    is_made = np.arange(turns) < made[:, None]
    if (is_made != (guesses >= 0)).any():
        raise InputError("observations: 'guesses' has more or fewer words than 'num_guesses'")
    is_answer = (answers[..., None, :] == game.answers).all(axis=-1).any(axis=-1)
    if (is_made & ~is_answer).any():
        raise InputError("observations: 'answers' has an answer that no word has")
    return cast(Observation, with_dtypes((guesses, answers, made), _DTYPES))


class GuessResult(NamedTuple):
    """The result of one guess in each of N games; all arrays have the shape (N,)."""

    codes: npt.NDArray[np.int64]  # of the answers; -1 for finished games
    played: npt.NDArray[np.bool_]  # the game was in progress before the guess
    won: npt.NDArray[np.bool_]  # the guess won the game
    lost: npt.NDArray[np.bool_]  # the guess lost the game


class WordGuessGames(Games[Observation]):
    """N games of word guessing.

    A game is won by guessing the secret, and lost with the last guess. Repeated words cost a
    guess. Finished games ignore further guesses.
    """

    def __init__(self, num_games: int, game: WordGame) -> None:
        super().__init__(num_games)
        self.game = game
        max_guesses = game.max_guesses
        shape = max_guesses, len(game.variant.answer_names)
        self._secrets = np.zeros(num_games, dtype=np.int64)
        self._guesses = np.full((num_games, max_guesses), NO_WORD, dtype=np.int32)
        self._answers = np.full((num_games, *shape), NO_ANSWER, dtype=np.int8)
        self._num_guesses = np.zeros(num_games, dtype=np.int64)
        self._won = np.zeros(num_games, dtype=np.bool_)
        self._observed = Observation(
            guesses=self._guesses, answers=self._answers, num_guesses=self._num_guesses
        )
        self.action_space = spaces.Discrete(len(game))
        self.observation_space = spaces.Dict(
            {
                "guesses": spaces.Box(NO_WORD, len(game) - 1, (max_guesses,), np.int32),
                "answers": spaces.Box(NO_ANSWER, game.word_length, shape, np.int8),
                "num_guesses": spaces.Discrete(max_guesses + 1),
            }
        )

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Whether the secret of each game was guessed, shape (N,)."""
        return self._won.copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each game is won or out of guesses, shape (N,)."""
        return self._won | (self._num_guesses == self.game.max_guesses)

    def secret(self, game: int) -> str:
        """Return the secret word of one game."""
        return self.game.allowed[self._secrets[game]]

    def draw(self, game: int, mode: str) -> Drawing:
        """Draw one game: an image of its last guesses for ``rgb_array``, else text."""
        made, allowed = int(self._num_guesses[game]), self.game.allowed
        lines = []
        for turn in range(made):
            named = zip(self.game.variant.answer_names, self._answers[game, turn], strict=True)
            answer = "  ".join(f"{name} {count}" for name, count in named)
            lines.append(f"{turn + 1:>4}  {allowed[self._guesses[game, turn]]}  {answer}")
        if mode == "rgb_array":
            lines = lines[-_MAX_IMAGE_LINES:]
        size = f"{len(allowed):,} words of {self.game.word_length} letters"
        lines.insert(0, f"{size}, {made} of {self.game.max_guesses} guesses")
        if self._won[game]:
            lines.append("won")
        elif made == self.game.max_guesses:
            lines.append(f"lost; the word was {self.secret(game)}")
        text = "\n".join(lines)
        return text_picture(text) if mode == "rgb_array" else text

    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return which words can be guessed, as a new array of shape (games, allowed words)."""
        return np.ones((len(self._won[games]), len(self.game)), dtype=np.bool_)

    def start(self, games: Index, secrets: npt.NDArray[np.int64]) -> None:
        """Start new games with these secrets."""
        self._secrets[games] = secrets
        self._guesses[games] = NO_WORD
        self._answers[games] = NO_ANSWER
        self._num_guesses[games] = 0
        self._won[games] = False

    def guess(self, actions: npt.NDArray[np.integer]) -> GuessResult:
        """Guess an allowed word in every game; InputError as ``check_actions`` raises."""
        actions = self.check_actions(actions, len(self.game))
        playing = ~self.over
        games = np.flatnonzero(playing)
        words, turn = actions[games], self._num_guesses[games]
        codes = np.full(len(self), NO_ANSWER, dtype=np.int64)
        codes[games] = self.game.answer(words, self._secrets[games])
        self._guesses[games, turn] = words
        self._answers[games, turn] = self.game.answers[codes[games]]
        self._num_guesses += playing
        won = codes == self.game.solved
        self._won |= won
        lost = playing & ~won & (self._num_guesses == self.game.max_guesses)
        return GuessResult(codes=codes, played=playing, won=won, lost=lost)
