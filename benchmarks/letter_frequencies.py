"""Draw the letter frequencies of words of one length, overall and at each place.

The pictures of the 2010 article are for words of four letters: e is the most frequent letter, but
not at any one place but the second to last, and the second and the last place drop off sharply.

    python benchmarks/letter_frequencies.py --words FILE --output docs/images/letter_frequencies.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from envs.encoding import ALPHABET, FIRST_LETTER, NUM_LETTERS, encode_words
from envs.words import load_word_list


def frequencies(codes: np.ndarray) -> np.ndarray:
    """Return the share in percent that each letter has of some places, shape (26,)."""
    return 100 * np.bincount(codes.ravel() - FIRST_LETTER, minlength=NUM_LETTERS) / codes.size


def main() -> None:
    """Count, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="word list, one word per line (default: web2)")
    parser.add_argument("--length", type=int, default=4)
    parser.add_argument("--output", type=Path, help="PNG to draw")
    options = parser.parse_args()

    words = [word for word in load_word_list(options.words).words if len(word) == options.length]
    codes = encode_words(words).codes
    panels = {f"overall, {len(words):,} words": codes}
    panels |= {f"place {place + 1}": codes[:, place] for place in range(options.length)}
    for name, part in panels.items():
        shares = frequencies(part)
        order = np.argsort(-shares, kind="stable")
        top = shares[order][:13].sum()
        print(
            f"{name}: {', '.join(f'{ALPHABET[k]} {shares[k]:.1f}%' for k in order[:6])}; ", end=""
        )
        print(f"the first 13 letters have {top:.1f}%")
    if options.output is None:
        return
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(7, 1.7 * len(panels)), sharey=True, layout="constrained"
    )
    for panel, (name, part) in zip(axes, panels.items(), strict=True):
        shares = frequencies(part)
        order = np.argsort(-shares, kind="stable")
        panel.bar(range(NUM_LETTERS), shares[order], color="tab:blue" if part.ndim > 1 else "0.5")
        panel.set_xticks(range(NUM_LETTERS), [ALPHABET[k] for k in order])
        panel.set_xlim(-0.7, NUM_LETTERS - 0.3)
        panel.set_ylabel("% of letters")
        panel.set_title(name, fontsize=10)
    figure.savefig(options.output, dpi=110)


if __name__ == "__main__":
    main()
