"""Record a game of the pretrained policy as an animated GIF.

python -m examples.record_game --word WORD --output game.gif
python -m examples.record_game --word WORD --host evil: with words of the length of WORD
"""

import argparse
from typing import Any

import gymnasium as gym
import numpy as np
from PIL import Image

from hangman_lab import load_pretrained

parser = argparse.ArgumentParser()
parser.add_argument("--word", default="hangmanship")
parser.add_argument("--host", default="random")
parser.add_argument("--output", default="game.gif")
options = parser.parse_args()

agent = load_pretrained()
lengths: dict[str, Any] = {"min_length": len(options.word), "max_length": len(options.word)}
env = gym.make("hangman_lab/Hangman-v0", render_mode="rgb_array", host=options.host, **lengths)
start = {"word": options.word} if options.host == "random" else None
observation, info = env.reset(options=start)
frames: list[Any] = [env.render()]
terminated = False
while not terminated:
    observation, _, terminated, _, info = env.step(agent.act(observation))
    frames.append(env.render())

print(f"{options.output}: {len(frames)} frames, {'won' if info['won'] else 'lost'}")
# One palette for all frames, so that no color changes between them.
strip = Image.fromarray(np.concatenate(frames)).quantize(dither=Image.Dither.NONE)
height, width, _ = frames[0].shape
pictures = [strip.crop((0, top, width, top + height)) for top in range(0, strip.height, height)]
durations = [800] * (len(pictures) - 1) + [3000]
pictures[0].save(
    options.output, save_all=True, append_images=pictures[1:], duration=durations, loop=0
)
