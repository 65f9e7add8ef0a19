"""Features of a game for the policy network: the posterior by letter, and the state."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.posterior.posterior import Belief, LetterPosterior, UniformPosterior
from envs.encoding import BLANK, LETTER_CODES, NUM_LETTERS, PADDING
from envs.hangman.observation import Observation
from envs.hangman.rules import DEFAULT_MAX_WRONG

NUM_LETTER_FEATURES = 6
_NUM_TOP = 5
NUM_STATE_FEATURES = 11 + _NUM_TOP
# Log-odds beyond this are as good as certain: e**-8 is 0.0003.
_MAX_LOG_ODDS = 8.0
# Where the letter's log-odds and its look-ahead are among the features of a letter.
LOG_ODDS = 0
LOOK_AHEAD = 5
# In percentage points; a letter that loses more is out of the question.
_MAX_LOSS = 10.0


def policy_features(
    posterior: LetterPosterior | UniformPosterior,
    observations: Observation,
    look_ahead_lives: int = 0,
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the inputs of :class:`agents.ppo.network.PolicyNetwork` for N games.

    Parameters
    ----------
    posterior : LetterPosterior or UniformPosterior
    observations : Observation
    look_ahead_lives : int
        Games with at most so many lives are looked ahead in; 0 for none.

    Returns
    -------
    dict
        ``letters``, float32 of shape (N, 26, 6): the log-odds that the letter is hidden, first
        as they are and then relative to the likeliest letter's; that probability; whether it was
        guessed; whether it was guessed and is absent; the win-probability gap to the best letter
        by look-ahead, in percentage points from -10 to 0 (-10 for letters that were not valued, 0
        for all where there is no look-ahead).
        ``state``, float32 of shape (N, 16): lives as a share of six, one life left, two lives left,
        blanks / 10, length / 10, share of places shown, letters guessed / 26, expected number of
        different hidden letters / 10, the probability that the word is listed, whether there is a
        look-ahead, the best letter's probability of winning by it (0 without), and the five highest
        probabilities.
    """
    belief = posterior.belief(observations)
    wins = posterior.win_probabilities(observations, belief, look_ahead_lives)
    looked = ~np.isnan(wins).all(axis=1)
    wins = np.where(np.isnan(wins), -1.0, wins)
    best = np.where(looked, wins.max(axis=1), 0.0)
    gap = np.where(looked[:, None], 100 * (wins - best[:, None]), 0.0).clip(-_MAX_LOSS, 0.0)
    letters = _letter_features(observations, belief.present, gap)
    state = _state_features(observations, belief, looked, best)
    return {"letters": letters.astype(np.float32), "state": state.astype(np.float32)}


def _letter_features(
    observations: Observation, present: npt.NDArray[np.float64], gap: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    guessed = observations["guessed"] != 0
    chance = np.clip(present, 1e-6, 1 - 1e-6)
    log_odds = np.log(chance / (1 - chance)).clip(-_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    log_odds[guessed] = -_MAX_LOG_ODDS
    relative = log_odds - log_odds.max(axis=1, keepdims=True)
    shown = (observations["word"][:, :, None] == LETTER_CODES).any(axis=1)
    return np.stack([log_odds, relative, present, guessed, guessed & ~shown, gap], axis=2)


def _state_features(
    observations: Observation,
    belief: Belief,
    looked: npt.NDArray[np.bool_],
    best: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    lives, guessed = observations["lives"], observations["guessed"] != 0
    blanks = (observations["word"] == BLANK).sum(axis=1)
    lengths = (observations["word"] != PADDING).sum(axis=1)
    return np.column_stack(
        [
            lives / DEFAULT_MAX_WRONG,
            lives == 1,
            lives == 2,
            blanks / 10,
            lengths / 10,
            1 - blanks / lengths,
            guessed.sum(axis=1) / NUM_LETTERS,
            belief.present.sum(axis=1) / 10,
            belief.listed_share,
            looked,
            best,
            -np.sort(-belief.present, axis=1)[:, :_NUM_TOP],
        ]
    )
