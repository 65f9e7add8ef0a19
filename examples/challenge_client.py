"""The ``guess`` of the public challenge's official client, by an agent of this project.

Beside the client's class HangmanAPI, with ``hangman_lab`` installed::

    class Client(AgentGuesses, HangmanAPI):
        agent = hangman_lab.load_run("runs/entry", known=0.0)

    Client(access_token=TOKEN, timeout=2000).start_game(practice=1, verbose=True)
"""

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import parse_observation


class AgentGuesses:
    """Guesses the letters of ``agent``; the client keeps ``guessed_letters``."""

    agent: Agent
    guessed_letters: list[str]

    def guess(self, word: str) -> str:
        """Return the next letter for a pattern such as ``"_ p p _ e "``."""
        wrong = "".join(letter for letter in self.guessed_letters if letter not in word)
        return ALPHABET[int(self.agent.act(parse_observation(word, wrong))[0])]
