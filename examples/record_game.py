"""Record a game as an animated GIF; the secret is a drawn word, or --word.

python -m examples.record_game --word hangmanship
python -m examples.record_game --word jazz --host evil                with words of its length
python -m examples.record_game --env TextHangman-v0 --word keyboard
python -m examples.record_game --env CatsAndDogs-v0 --word jive       played by the agent entropy
"""

import argparse
import textwrap
from typing import Any

import gymnasium as gym
import numpy as np
from PIL import Image

from examples.scripted_model import ScriptedModel
from hangman_lab import load_pretrained
from hangman_lab.agents.word_guess import WORD_GUESS_AGENTS
from hangman_lab.envs.rendering import text_picture
from hangman_lab.envs.word_guess.rules import VARIANT_OF_ID, WordGame

parser = argparse.ArgumentParser()
parser.add_argument(
    "--env", choices=("Hangman-v0", "TextHangman-v0", *VARIANT_OF_ID), default="Hangman-v0"
)
parser.add_argument("--word")
parser.add_argument("--host")
parser.add_argument("--output", default="game.gif")
options = parser.parse_args()

is_text = options.env == "TextHangman-v0"
arguments: dict[str, Any] = {"render_mode": "ansi" if is_text else "rgb_array"}
start = None if options.host else {"word": options.word}
if options.host:
    arguments["host"] = options.host
    if options.word:
        arguments["min_length"] = arguments["max_length"] = len(options.word)
env = gym.make(f"hangman_lab/{options.env}", **arguments)
if options.env in VARIANT_OF_ID:
    player = WORD_GUESS_AGENTS["entropy"](WordGame(variant=VARIANT_OF_ID[options.env]), 0).act
elif is_text:
    model = ScriptedModel("ppo")

    def player(text):
        """Return the reply of the model without its thoughts."""
        return model.complete(text).splitlines()[-1]

else:
    player = load_pretrained().act


def picture():
    """Return an image of the game; of a game as text, its last lines."""
    if not is_text:
        return env.render()
    lines = [part for line in texts for part in textwrap.wrap(line, 53)]
    return text_picture("\n".join(lines[-20:]))


observation, info = env.reset(seed=0, options=start)
texts = str(observation).splitlines()
frames: list[Any] = [picture()]
terminated = False
while not terminated:
    action = player(observation)
    observation, _, terminated, _, info = env.step(action)
    texts += [f"> {action}", *str(observation).splitlines()]
    frames.append(picture())

print(f"{options.output}: {len(frames)} frames, {'won' if info['won'] else 'lost'}")
# One palette for all frames, so that no color changes between them.
strip = Image.fromarray(np.concatenate(frames)).quantize(dither=Image.Dither.NONE)
height, width, _ = frames[0].shape
pictures = [strip.crop((0, top, width, top + height)) for top in range(0, strip.height, height)]
durations = [800] * (len(pictures) - 1) + [3000]
pictures[0].save(
    options.output, save_all=True, append_images=pictures[1:], duration=durations, loop=0
)
