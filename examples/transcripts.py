"""Games of an agent as chats, one game a line, for supervised fine-tuning of a language model.

python -m examples.transcripts --agent ppo --games 10000 --split train --file transcripts.jsonl
"""

import argparse
import json

import hangman_lab
from hangman_lab.envs import TextHangman
from hangman_lab.envs.words import PARTS
from hangman_lab.evaluation import arena


def transcripts(agent, seeds, split):
    """Yield the chat of each seed's game: what the environment says, and the agent's replies."""
    env, words = TextHangman(split=split), []
    for seed in seeds:
        env.reset(seed=seed)
        words.append(env.secret)
    # Played as one batch, by observations alone; the chats are those of the environment.
    for seed, letters in zip(seeds, arena.play(agent, words).letters, strict=True):
        text, info = env.reset(seed=seed)
        messages = []
        for letter in letters:
            reply = f"[{letter}]"
            messages += [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
            text, *_, info = env.step(reply)
        yield {"messages": messages, "seed": seed, "won": info["won"]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--agent", type=hangman_lab.load_agent, default="ppo")
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--split", choices=PARTS, default="train")
    parser.add_argument("--file", type=argparse.FileType("x"), default="transcripts.jsonl")
    options = parser.parse_args()
    for game in transcripts(options.agent, range(options.games), options.split):
        print(json.dumps(game), file=options.file)
