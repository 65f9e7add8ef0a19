"""A language model that follows a script: a guesser of the project, which reads and writes text.

python -m examples.scripted_model                the dictionary guesser plays 100 games
python -m examples.scripted_model --agent ppo    the pretrained policy plays the same games
"""

import argparse
import re

import hangman_lab
from hangman_lab.envs import TextHangman
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.evaluation.intervals import win_rate_interval

SEEDS = range(100)
BOARD = re.compile(r"^(.+) \| wrong: (.+) \| lives: (\d+)", re.MULTILINE)


class ScriptedModel:
    """An agent, fitted to train words, as a model that completes texts."""

    def __init__(self, agent="dictionary"):
        self.agent = hangman_lab.load_agent(agent)

    def complete(self, text):
        """Return the reply to the last board of a text: thoughts with other guesses, the guess."""
        word, wrong, lives = BOARD.findall(text)[-1]
        if "_" not in word or lives == "0":
            return "The game is over."
        letter = self.agent.act(parse_observation(word, wrong.strip("-")))[0]
        return f"<think>Could it be [q], or [apple]?</think>\nI guess [{ALPHABET[letter]}]."


def play(model):
    """Yield whether the model wins each game."""
    env = TextHangman(split="test")
    for seed in SEEDS:
        text, info = env.reset(seed=seed)
        ended = False
        while not ended:
            text, _, ended, _, info = env.step(model.complete(text))
        yield bool(info["won"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--agent", default="dictionary")
    name = parser.parse_args().agent
    wins = sum(play(ScriptedModel(name)))
    low, high = win_rate_interval(wins, len(SEEDS))
    print(f"{name}: {wins} of {len(SEEDS)} games won ({low:.0%} to {high:.0%})")
