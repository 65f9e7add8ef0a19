"""The challenge's official client with an agent, against a server here."""

import pytest

from examples.challenge_client import AgentGuesses
from hangman_lab import load_pretrained
from hangman_lab.envs.words import Split, default_word_list
from hangman_lab.evaluation.arena import play
from tests.server.harness import CHALLENGE, Harness

GAMES = 50


class Client(AgentGuesses):
    """Asks ``guess`` for each letter as the official client does."""

    def __init__(self, server):
        self.server, self.token = server, server.token()

    def start_game(self):
        """Play a practice game; return its word and whether it was won."""
        self.guessed_letters = []
        query = {"practice": "True", "access_token": self.token}
        game = answer = self.server.get(f"{CHALLENGE}/new_game", **query).json()
        while answer["status"] in ("approved", "ongoing"):
            letter = self.guess(answer["word"])
            self.guessed_letters.append(letter)
            answer = self.server.guess(self.token, game["game_id"], letter).json()
        return self.server.secret(game["game_id"]), answer["status"] == "success"


@pytest.mark.slow
def test_the_agent_wins_the_games_that_it_wins_in_the_arena(tmp_path, monkeypatch):
    monkeypatch.setattr(Client, "agent", load_pretrained(), raising=False)
    words = Split().divide(default_word_list())["test"][:200]
    server = Harness(tmp_path / "games.sqlite3", words)
    try:
        client = Client(server)
        secrets, won = zip(*(client.start_game() for _ in range(GAMES)), strict=True)
    finally:
        server.close()
    assert list(won) == play(Client.agent, secrets).won.tolist()
    assert sum(won) > GAMES / 2
