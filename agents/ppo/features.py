"""What the policy network sees of a game: the posterior by letter, and the state of the game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.posterior.windows import WindowPosterior
from envs.encoding import BLANK, NUM_LETTERS, PADDING
from envs.hangman.observation import Observation

NUM_LETTER_FEATURES = 7
_NUM_TOP = 5
NUM_STATE_FEATURES = 8 + _NUM_TOP
# Log-odds beyond this are as good as certain: e**-8 is 0.0003.
_MAX_LOG_ODDS = 8.0


def policy_features(
    posterior: WindowPosterior, observations: Observation
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the inputs of :class:`agents.ppo.network.PolicyNetwork` for N games.

    Returns
    -------
    dict
        ``letters``, float32 of shape (N, 26, 7): the log-odds that the letter is hidden, first
        as they are and then relative to the likeliest letter's; that probability; the expected
        number of blanks with the letter; its probability at its likeliest blank; whether it was
        guessed; whether it was guessed and is absent.
        ``state``, float32 of shape (N, 13): lives / 6, one life left, two lives left,
        blanks / 10, length / 10, share of places shown, letters guessed / 26, expected number of
        different hidden letters / 10, and the five highest probabilities.
        ``word`` and ``guessed`` as they are observed.
    """
    present, expected, highest = posterior.posterior(observations)
    guessed = observations["guessed"] != 0
    chance = np.clip(present, 1e-6, 1 - 1e-6)
    log_odds = np.log(chance / (1 - chance)).clip(-_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    log_odds[guessed] = -_MAX_LOG_ODDS
    word = observations["word"]
    codes = np.arange(2, 2 + NUM_LETTERS)
    shown = (word[:, :, None] == codes).any(axis=1)
    letters = np.stack(
        [
            log_odds,
            log_odds - log_odds.max(axis=1, keepdims=True),
            present,
            expected,
            highest,
            guessed,
            guessed & ~shown,
        ],
        axis=2,
    )
    blanks = (word == BLANK).sum(axis=1)
    lengths = (word != PADDING).sum(axis=1)
    lives = observations["lives"]
    top = -np.sort(-present, axis=1)[:, :_NUM_TOP]
    state = np.column_stack(
        [
            lives / 6,
            lives == 1,
            lives == 2,
            blanks / 10,
            lengths / 10,
            1 - blanks / lengths,
            guessed.sum(axis=1) / NUM_LETTERS,
            present.sum(axis=1) / 10,
            top,
        ]
    )
    return {
        "word": word,
        "guessed": observations["guessed"],
        "letters": letters.astype(np.float32),
        "state": state.astype(np.float32),
    }
