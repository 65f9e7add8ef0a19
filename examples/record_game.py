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

from hangman_lab import load_pretrained
from hangman_lab.agents.word_guess import WORD_GUESS_AGENTS
from hangman_lab.envs.rendering import text_picture
from hangman_lab.envs.word_guess.rules import VARIANT_OF_ID, WordGame
from hangman_lab.evaluation import arena

parser = argparse.ArgumentParser()
parser.add_argument(
    "--env", choices=("Hangman-v0", "TextHangman-v0", *VARIANT_OF_ID), default="Hangman-v0"
)
parser.add_argument("--word")
parser.add_argument("--host", choices=("random", "evil"), default="random")
parser.add_argument("--output", default="game.gif")
options = parser.parse_args()

is_text, start = options.env == "TextHangman-v0", {"word": options.word}
arguments: dict[str, Any] = {"render_mode": "ansi" if is_text else "rgb_array"}
if options.host == "evil":
    if options.env != "Hangman-v0" or not options.word:
        parser.error("--host evil: only with --env Hangman-v0 and --word, for its length")
    length, start = len(options.word), {}
    arguments |= {"host": options.host, "min_length": length, "max_length": length}
env = gym.make(f"hangman_lab/{options.env}", **arguments)
observation, info = env.reset(seed=0, options=start)

if options.env in VARIANT_OF_ID:
    player = WORD_GUESS_AGENTS["entropy"](WordGame(variant=VARIANT_OF_ID[options.env]), 0).act
elif is_text:
    letters = iter(arena.play(load_pretrained(), [env.unwrapped.secret]).letters[0])

    def player(text):
        """Return the policy's next letter as a reply."""
        return f"I guess [{next(letters)}]."

else:
    player = load_pretrained().act


def picture():
    """Return an image of the game; of a game as text, its last lines."""
    if not is_text:
        return env.render()
    lines = [part for line in "\n".join(texts).splitlines() for part in textwrap.wrap(line, 53)]
    return text_picture("\n".join(lines[-20:]))


texts = [observation]
frames: list[Any] = [picture()]
terminated = False
while not terminated:
    action = player(observation)
    observation, _, terminated, _, info = env.step(action)
    texts += [f"> {action}", observation]
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
