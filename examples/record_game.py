"""Record a game of the pretrained policy as an animated GIF.

python -m examples.record_game --word WORD --output game.gif
"""

import argparse

import gymnasium as gym
import numpy as np
from PIL import Image

from hangman_lab.run_files.agents import load_run_agent
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory

parser = argparse.ArgumentParser()
parser.add_argument("--word", default="hangmanship")
parser.add_argument("--output", default="game.gif")
options = parser.parse_args()

agent = load_run_agent("ppo", RunDirectory.open(PRETRAINED), ())
env = gym.make("hangman_lab/Hangman-v0", render_mode="rgb_array")
observation, info = env.reset(options={"word": options.word})
frames, done = [env.render()], False
while not done:
    batch = {name: np.asarray(array)[None] for name, array in observation.items()}
    observation, _, done, _, info = env.step(agent.act(batch)[0])
    frames.append(env.render())

# A small palette keeps the file small.
pictures = [Image.fromarray(frame).quantize(32, dither=Image.Dither.NONE) for frame in frames]
durations = [800] * (len(pictures) - 1) + [3000]
pictures[0].save(
    options.output, save_all=True, append_images=pictures[1:], duration=durations, loop=0
)
print(f"{options.output}: {len(frames)} frames, {'won' if info['won'] else 'lost'}")
