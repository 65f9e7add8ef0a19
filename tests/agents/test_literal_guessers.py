"""Agents from public sources score letters like literal transcriptions of the sources.

The transcriptions play one word at a time, with strings, lists and regular expressions. Each takes
the words of the list and returns a function of the masked word, the guessed letters and the lives,
which returns the score of each letter that can be guessed.
"""

import re
from collections import Counter
from functools import partial

import numpy as np
import pytest

from hangman_lab.agents import make_agent
from hangman_lab.envs.encoding import ALPHABET, decode
from tests.agents.games import letters_of, matching, random_states


def new_letters(counts, guessed):
    """The letters with a count that have not been guessed."""
    return {k: v for k, v in counts.items() if k not in guessed and k in ALPHABET and v > 0}


def by_frequency(words, without_wrong=False):
    """Source 000, section 1: match the masked word, count, and fall back to the whole list.

    ``OverallFrequency`` of source 002 is this for words without wrong letters.
    """

    def score(shown, guessed, lives):
        left = matching(words, shown, guessed - set(shown) if without_wrong else ())
        scores = new_letters(Counter("".join(left)), guessed)
        return scores or new_letters(Counter("".join(words)), guessed)

    return score


def top_heavy(words):
    """Source 002: ``Play``'s filters, then ``TopHeavyFrequency``."""

    def skewed(values):
        values.sort(reverse=True)
        return sum(values[: len(values) // 2]) / sum(values)

    def score(shown, guessed, lives):
        left = matching(words, shown, guessed - set(shown))
        highest, scores = -1.0, {}
        for place in (place for place, letter in enumerate(shown) if letter == "_"):
            counts = new_letters(Counter(word[place] for word in left), guessed)
            skew = skewed(list(counts.values())) if counts else -1.0
            if skew > highest:
                highest, scores = skew, counts
        return scores or new_letters(Counter("".join(words)), guessed)

    return score


def ngram(words):
    """Source 000, section 2, with counters in the place of NLTK."""
    starts = [word[start:] for word in words for start in range(len(word))]
    counts = Counter(text[:size] for text in starts for size in range(1, min(len(text), 5) + 1))
    first = by_frequency(words)

    def probability(run):
        return counts[run] / max(sum(counts[run[:-1] + letter] for letter in ALPHABET), 1)

    def score(shown, guessed, lives):
        if lives > 2 and sum(letter != "_" for letter in shown) < len(shown) / 2:
            return first(shown, guessed, lives)
        scores = {}
        for letter in sorted(set(ALPHABET) - guessed):
            scores[letter] = 0.0
            for order, weight in enumerate((0.1, 0.2, 0.2, 0.25, 0.2), 1):
                runs = [shown[i : i + order] for i in range(len(shown) - order + 1)]
                runs = [run.replace("_", letter) for run in runs if run.count("_") == 1]
                if runs:
                    scores[letter] += weight * sum(map(probability, runs)) / len(runs)
        return scores

    return score


def decomposition(words):
    """Source 004, by regular expressions; overlapping pieces count, too."""
    overall = Counter("".join(words))
    full = ["_" + word + "_" for word in words]

    def pieces(pattern, word):
        return re.findall(f"(?=({pattern}))", word)

    def score(shown, guessed, lives):
        pattern = shown.replace("_", ".")
        wrong = guessed - set(shown)
        current = []
        few_shown = sum(letter != "_" for letter in shown) < 0.3 * len(shown)
        for word in words:
            if 0.58 * len(shown) < len(word) < len(shown):
                masked = "".join(letter if letter in guessed else "." for letter in word)
                if not wrong & set(word) and masked in pattern:
                    current.append(word)
            elif len(word) >= len(shown):
                if not few_shown:
                    current += pieces(pattern, word)
                elif re.search(f"^{pattern}|{pattern}$", word):
                    current.append(word)
        scores = new_letters(Counter("".join(current)), guessed)
        if scores:
            return scores
        counts = Counter()
        marked = "_" + pattern + "_"
        for place in (place for place, letter in enumerate(marked) if letter == "."):
            start = max(place - 2, 0)
            window = marked[start : start + 5].replace(".", "[a-z]")
            for word in full:
                counts.update("".join(pieces(window, word)))
        return new_letters(counts, guessed) or new_letters(overall, guessed)

    return score


SOURCES = {
    "benchmark": by_frequency,
    "overall-frequency": partial(by_frequency, without_wrong=True),
    "top-heavy": top_heavy,
    "ngram": ngram,
    "decomposition": decomposition,
}


@pytest.mark.parametrize("name", SOURCES)
def test_scores_are_those_of_the_source(name, real_words):
    words = real_words[::3]
    # Every second secret is not in the list, so that the last resorts are used as well.
    states = random_states(sorted({*words[::40], *real_words[1::120]}), seed=7)
    agent = make_agent(name).fit(words)
    scores = agent.letter_scores(states)
    scores[states["guessed"] != 0] = 0
    source = SOURCES[name](words)
    for game, codes in enumerate(states["word"]):
        guessed = letters_of(states["guessed"][game])
        expected = source(decode(codes), set(guessed), int(states["lives"][game]))
        np.testing.assert_allclose(
            scores[game], [expected.get(letter, 0.0) for letter in ALPHABET], atol=1e-12
        )
    assert len(states["word"]) > 51
