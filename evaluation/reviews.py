"""Review of games: what each guess was worth by the letter probabilities of an agent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from rich.progress import Progress

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.agents.dictionary import count_words
from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.encoding import ALPHABET, MAX_LENGTH, decode
from hangman_lab.envs.errors import InputError, check_number
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import Observations, unique_observations
from hangman_lab.envs.hangman.rules import RepeatedGuess, Rules
from hangman_lab.envs.word_sets import WordSets, index_words
from hangman_lab.envs.words import DEFAULT_KNOWN, default_word_list, hash_words
from hangman_lab.evaluation.arena import replay
from hangman_lab.evaluation.calibration import MAX_WORDS
from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.run_files.agents import load_run_agent
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.terminal.console import stage
from hangman_lab.terminal.tables import DataTable

_LETTERS = np.array(list(ALPHABET))


def review(
    word: str,
    letters: str,
    agent: Agent | None = None,
    words: Sequence[str] | WordSets | None = None,
    *,
    known: float | None = None,
    common: float | None = None,
    max_wrong: int = Rules.max_wrong,
    repeated_guess: RepeatedGuess = Rules.repeated_guess,
) -> pd.DataFrame:
    """Return what each guess of a game was worth.

    Parameters
    ----------
    word : str
        The secret word or, if it is not known, the masked word after the guesses, with ``_`` for
        each hidden letter.
    letters : str
        The guesses in order. A repeated letter is a guess that hits nothing.
    agent : PosteriorAgent, optional
        The agent whose letter probabilities are taken, by default the pretrained policy.
    words : sequence of str, optional
        The listed words, by default the default word list. Words indexed by
        :func:`envs.word_sets.index_words` are not indexed again.
    known : float, optional
        With ``common``, the prior of the pretrained policy, see :func:`hangman_lab.load_run`.
    common : float, optional
        See ``known``.
    max_wrong : int
        The number of wrong guesses that loses the game.
    repeated_guess : str
        Whether a repeated letter costs a ``"life"`` or is ``"free"``.

    Returns
    -------
    DataFrame
        A row per guess: see :func:`review_games`.

    Raises
    ------
    InputError
        If the word and the letters are not those of a game, the agent has no letter probabilities,
        or another argument is invalid.
    """
    rules = Rules(max_wrong, repeated_guess)
    check_game(word, letters, rules)
    if agent is None:
        known = check_number("known", DEFAULT_KNOWN if known is None else known, 0, 1)
        agent = _load_pretrained(known, check_number("common", common or 0.0, 0, 1))
    elif known is not None or common is not None:
        raise InputError("known, common: are for the pretrained policy; an agent has its own prior")
    if not isinstance(agent, PosteriorAgent):
        raise InputError(
            f"agent: an object of type {type(agent).__name__} is not a PosteriorAgent, for example "
            "that of hangman_lab.load_agent"
        )
    listed = default_index() if words is None else words
    return review_games(agent, listed, [word], [letters], rules)


def load_reviewer(run: RunDirectory | None, known: float, common: float = 0.0) -> PosteriorAgent:
    """Return the policy of a run; the pretrained one without a run, or letter probabilities."""
    found = RunDirectory.open(PRETRAINED) if run is None else run
    name = found.load_config().learner.agents[0]
    agent = load_run_agent(name, found, (), known=known, common=common)
    return agent if isinstance(agent, PosteriorAgent) else load_reviewer(None, known, common)


@lru_cache(maxsize=1)
def _load_pretrained(known: float, common: float) -> PosteriorAgent:
    return load_reviewer(None, known, common)


@lru_cache(maxsize=1)
def default_index() -> WordSets:
    """Return the index of the default word list."""
    return index_words(default_word_list().words)


def check_game(word: Any, letters: Any, rules: Rules) -> Game:
    """Return the game after the guesses; InputError if there is no such game."""
    if not (isinstance(word, str) and re.fullmatch(f"[a-z_]{{1,{MAX_LENGTH}}}", word)):
        what = f"1 to {MAX_LENGTH} lower-case letters a to z, or _ if hidden"
        raise InputError(f"word: {word!r} is not {what}")
    if not (isinstance(letters, str) and re.fullmatch("[a-z]+", letters)):
        raise InputError(f"letters: {letters!r} is not one or more lower-case letters a to z")
    if "_" in word and (shown := set(word) - {"_", *letters}):
        raise InputError(f"word: {word!r} shows {min(shown)!r}, which is not in letters")
    game = Game(word, rules)
    for number, letter in enumerate(letters):
        if game.over:
            end = f"{number} guesses end the game ({rules.max_wrong} wrong guesses lose)"
            raise InputError(f"letters: {letters!r} goes on where {end}")
        game.guess(ALPHABET.index(letter))
    return game


def review_games(
    agent: PosteriorAgent,
    listed: Sequence[str] | WordSets,
    words: Sequence[str],
    letters: Sequence[str],
    rules: Rules,
) -> pd.DataFrame:
    """Review N games, one or more, that pass :func:`check_game`.

    Returns
    -------
    DataFrame
        A row per guess, game after game: ``game`` (0 to N - 1), ``turn`` (from 1), ``shown`` (the
        masked word before the guess), ``letter``, ``probability`` (that the letter was behind a
        blank; 0 for a repeated one), ``best_letter`` (the most likely one), ``best_probability``,
        ``agent_letter`` (the agent's guess), ``agent_probability``, and ``dominated`` (whether some
        listed word matches what was shown, and none has the letter behind a blank).
    """
    index = listed if isinstance(listed, WordSets) else index_words(listed)
    turns = [
        (playing, np.full(len(playing), turn), guesses, *before.values())
        for turn, (playing, before, guesses) in enumerate(replay(words, letters, rules), start=1)
    ]
    game, turn, guess, word, guessed, lives = map(np.concatenate, zip(*turns, strict=True))
    states, rows = Observations(word=word, guessed=guessed, lives=lives), np.arange(len(game))
    probabilities = agent.letter_probabilities(states)
    best = probabilities.argmax(axis=1)
    chosen = agent.act_batch(states, keyed_bits(hash_words(words), 0)[game])
    distinct, state = unique_observations(states)
    masked, is_guessed, each = distinct["word"], distinct["guessed"], np.ones(len(index.letters))
    counts, num_matching = count_words(masked, is_guessed, index, each, True, True)
    can_hit = (counts[state, guess] > 0) & (guessed[rows, guess] == 0)
    columns = {
        "game": game,
        "turn": turn,
        "shown": list(map(decode, word)),
        "letter": _LETTERS[guess],
        "probability": probabilities[rows, guess],
        "best_letter": _LETTERS[best],
        "best_probability": probabilities[rows, best],
        "agent_letter": _LETTERS[chosen],
        "agent_probability": probabilities[rows, chosen],
        "dominated": (num_matching[state] > 0) & ~can_hit,
    }
    return pd.DataFrame(columns).sort_values(["game", "turn"], ignore_index=True)


def summarize_review(table: pd.DataFrame) -> dict[str, Any]:
    """Return the means of a review of one or more games, as JSON values.

    The 95% intervals take the guesses of a game as a cluster.
    """
    _, game = np.unique(table["game"], return_inverse=True)
    summary: dict[str, Any] = {"games": int(game.max()) + 1, "guesses": len(table)}
    for kind in ("", "agent_"):
        summary[f"mean_{kind}probability"] = float(table[f"{kind}probability"].mean())
    given_up = table["best_probability"] - table["probability"]
    for name, outcomes in ("given_up", given_up), ("dominated", table["dominated"]):
        summary[name], interval = share_interval(outcomes.to_numpy(), game)
        summary[f"{name}_ci95"] = list(interval)
    return summary


def review_table(review: pd.DataFrame, title: str, agent: str) -> DataTable:
    """Return the table of the review of one game by an agent of this name."""
    kinds = ("", "best_", "agent_")
    rows = []
    for row in review.to_dict("records"):
        cells = [f"{row[f'{kind}letter']} {row[f'{kind}probability']:4.0%}" for kind in kinds]
        cells[0] = ("* " if row["dominated"] else "") + cells[0]
        rows.append((row["shown"], *cells))
    note = "the probability that each letter was in the hidden part; *: no matching word has it"
    return DataTable(title, ("word", "guess", "likeliest", agent), rows, note=note)


def review_agents(
    reviewer: PosteriorAgent,
    listed: Sequence[str],
    games: pd.DataFrame,
    rules: Rules,
    progress: Progress,
) -> tuple[pd.DataFrame, dict[str, dict[str, Any]]]:
    """Review the games of each agent, columns ``agent``, ``word`` and ``letters``.

    Their secret words are listed, too. Of more than 2,000 games of an agent, that many are drawn
    by the hashes of their words. Returns :func:`review_games` with the columns ``agent`` and
    ``word``, and :func:`summarize_review` for each agent.
    """
    secrets = (word for word in games["word"] if "_" not in word)
    index, tables, summaries = index_words(tuple({*listed, *secrets})), [], {}
    for name, played in games.groupby("agent", sort=False):
        with stage(progress, f"{name}, review", 1, unit=""):
            # The games of a word are drawn independently.
            repetition = played.groupby("word").cumcount().to_numpy(dtype=np.uint64)
            bits = keyed_bits(hash_words(played["word"].tolist()) + repetition)
            chosen = played.iloc[np.sort(bits.argsort()[:MAX_WORDS])]
            words, letters = chosen["word"].tolist(), chosen["letters"].tolist()
            table = review_games(reviewer, index, words, letters, rules)
            table.insert(0, "agent", name)
            table.insert(1, "word", chosen["word"].to_numpy()[table["game"]])
            tables.append(table)
            summaries[str(name)] = summarize_review(table)
    return pd.concat(tables, ignore_index=True), summaries
