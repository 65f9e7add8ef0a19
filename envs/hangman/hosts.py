"""New games from rules and words: which host plays them."""

from __future__ import annotations

from hangman_lab.envs.encoding import EncodedWords
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.secret_words import SecretWords

# The evil host needs Numba, which the random host does without: it is imported on first use.


def make_game(rules: Rules, words: SecretWords, secret: str) -> Game:
    """Return a new game with the word ``secret``, of which an evil host keeps the length alone."""
    if rules.host == "random":
        return Game(secret, rules)
    from hangman_lab.envs.hangman.evil import EvilGame

    return EvilGame(secret, rules, words)


def make_games(rules: Rules, words: EncodedWords, num_games: int) -> HangmanGames:
    """Return N games, to be started with secrets among ``words``.

    For an evil host, these are sorted as those of :class:`SecretWords`.
    """
    if rules.host == "random":
        return HangmanGames(num_games, words.width, rules)
    from hangman_lab.envs.hangman.evil import EvilHangmanGames

    return EvilHangmanGames(num_games, words, rules)
