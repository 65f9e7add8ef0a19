"""The decomposition guesser against plain regular expressions, as Wang describes them."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from agents.decomposition import DecompositionAgent
from envs.encoding import decode
from envs.errors import InputError
from envs.hangman.observation import parse_observation


def part_1(words, shown, guessed, exact=True, exclude_wrong=False, same_length=True):
    """Count the letters of the elements, of the words that fit by head or tail, or of pieces."""
    wrong = guessed - set(shown)
    pattern = shown.replace("_", ".")
    collected = []
    for word in words:
        if len(word) < len(shown):
            if len(word) <= 0.58 * len(shown) or wrong & set(word):
                continue
            masked = "".join(letter if letter in guessed else "." for letter in word)
            if (masked in pattern) if exact else re.search(masked, pattern):
                collected.append(word)
            continue
        if (exclude_wrong and wrong & set(word)) or (not same_length and len(word) == len(shown)):
            continue
        if sum(letter != "_" for letter in shown) < 0.3 * len(shown):
            if re.search(f"^{pattern}|{pattern}$", word):
                collected.append(word)
        else:
            collected += re.findall(f"(?=({pattern}))", word)
    return Counter("".join(collected))


def part_2(words, shown):
    """Count the letters of the pieces that match a window around a blank."""
    marked = "#" + shown.replace("_", ".") + "#"
    counts = Counter()
    for place, letter in enumerate(marked):
        if letter == ".":
            start = max(place - 2, 0)
            window = marked[start : start + 5].replace(".", "[a-z]")
            for word in words:
                counts.update("".join(re.findall(f"(?=({window}))", f"#{word}#")))
    return counts


def new_letters(counts, guessed):
    return {letter: n for letter, n in counts.items() if letter not in guessed and letter != "#"}


@pytest.mark.parametrize(
    "parameters",
    [{}, {"exact_elements": False}, {"exclude_wrong": True}, {"same_length": False}],
)
def test_parts_follow_each_other_as_in_the_source(parameters, real_words, play_some):
    words = real_words[::3]
    secrets = real_words[1::120]
    observations = play_some(secrets, turns=np.arange(len(secrets)) % 12)
    scores = DecompositionAgent(**parameters).fit(words).letter_scores(observations)
    used = Counter()
    for game, codes in enumerate(observations["word"]):
        shown = decode(codes)
        guessed = {chr(97 + k) for k in np.flatnonzero(observations["guessed"][game])}
        readings = {"exact" if k == "exact_elements" else k: v for k, v in parameters.items()}
        expected = new_letters(part_1(words, shown, guessed, **readings), guessed)
        part = 1
        if not expected:
            expected, part = new_letters(part_2(words, shown), guessed), 2
        if not expected:
            expected, part = new_letters(Counter("".join(words)), guessed), 3
        got = {chr(97 + k): int(scores[game, k]) for k in np.flatnonzero(scores[game])}
        assert new_letters(got, guessed) == expected, (shown, guessed, part)
        used[part] += 1
    assert used[1] > 10


def test_windows_are_those_of_the_example_of_the_source():
    # Its example reveals .ccom.lishmen. and looks for the pieces #.cco, om.li and en.#.
    observation = parse_observation("_ccom_lishmen_")
    pieces = {
        "accord": "a",
        "comply": "",
        "omalica": "a",
        "kitchenx": "x",
        "entry": "",
        "ment": "t",
    }
    agent = DecompositionAgent(shorter_share=1.0).fit(tuple(pieces))
    assert not agent.word_counts(observation).any()
    scores = agent.letter_scores(observation)[0]
    expected = Counter("".join(pieces.values()))
    assert {chr(97 + k): int(scores[k]) for k in np.flatnonzero(scores)} == expected


def test_without_part_2_the_whole_list_decides():
    agent = DecompositionAgent(shorter_share=1.0, use_pieces=False).fit(("accord", "zzz"))
    assert agent.act(parse_observation("_ccom_lishmen_"))[0] == ord("z") - ord("a")


@pytest.mark.parametrize("name", ["shorter_share", "whole_share"])
def test_shares_out_of_range_are_named(name):
    with pytest.raises(InputError, match=f"{name}: 1.5 is not in 0..1"):
        DecompositionAgent(**{name: 1.5})
