"""A language model that follows a script: a guesser of the project, which reads and writes text.

python -m examples.scripted_model                the dictionary guesser plays 100 games
python -m examples.scripted_model --agent ppo    the pretrained policy plays the same games
"""

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

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


def serve(model):
    """Serve a model by the protocol of OpenAI's chats, in a thread; return the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = model.complete(asked["messages"][-1]["content"])
            message = {"role": "assistant", "content": reply}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            answer = {"id": "0", "created": 0, "model": asked["model"], "choices": [choice]}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer | {"object": "chat.completion"}).encode())

        def log_message(self, *message):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def report(name, wins):
    """Print how many games were won, with a 95% interval."""
    low, high = win_rate_interval(wins, len(SEEDS))
    print(f"{name}: {wins} of {len(SEEDS)} games won ({low:.0%} to {high:.0%})")


def main():
    """Play the games without a library between model and environment."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--agent", default="dictionary")
    options = parser.parse_args()
    model, env, wins = ScriptedModel(options.agent), TextHangman(split="test"), 0
    for seed in SEEDS:
        text, info = env.reset(seed=seed)
        ended = False
        while not ended:
            text, _, ended, _, info = env.step(model.complete(text))
        wins += info["won"]
    report(options.agent, wins)


if __name__ == "__main__":
    main()
