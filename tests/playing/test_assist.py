import re

import pytest

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.playing.advice import MAX_WORDS_SHOWN, NUM_LETTERS_SHOWN
from tests.processes import ROOT

WORDS = sorted(
    {"".join((a, b, c, d)) for a in "abst" for b in "aeo" for c in "rnst" for d in "eys"}
)
ROW = re.compile(r"^([> ]) ([a-z])  ([ \d]{3})%")


def fits(word, pattern, wrong):
    """Whether a game with this secret would look like that: the rule, letter by letter."""
    guessed = set(wrong) | (set(pattern) - {"_"})
    shown = "".join(letter if letter in guessed else "_" for letter in word)
    return shown == pattern and not set(word) & set(wrong)


@pytest.fixture
def assist(run_command):
    def run(*typed):
        status, output = run_command(["--assist"], typed, WORDS)
        assert status == 0
        return output.splitlines()

    return run


@pytest.mark.parametrize(
    ("typed", "pattern", "wrong"),
    [
        (["_ A _ e", ""], "_a_e", ""),
        (["-o-s", "t a"], "_o_s", "ta"),
        (["....", "sy"], "____", "sy"),
        (["b?n?", "x,a"], "b_n_", "xa"),
        (["b?n?", "None"], "b_n_", ""),
        # The pattern is corrected in place of the wrong letters.
        (["b_n_", "ba_", "b a _ _", "t"], "ba__", "t"),
    ],
)
def test_letters_and_words_are_those_of_a_brute_force_search(assist, typed, pattern, wrong):
    candidates = [word for word in WORDS if fits(word, pattern, wrong)]
    share = {
        letter: sum(letter in word for word in candidates) / len(candidates)
        for letter in ALPHABET
        if letter not in pattern
    }
    expected = sorted((-share[letter], letter) for letter in share if share[letter])
    lines = assist(*typed)
    rows = [match.groups() for match in map(ROW.match, lines) if match]
    assert [(letter, percent.strip()) for _, letter, percent in rows] == [
        (letter, f"{-negative:.0%}"[:-1]) for negative, letter in expected[:NUM_LETTERS_SHOWN]
    ]
    assert [mark for mark, _, _ in rows] == [">"] + [" "] * (len(rows) - 1)
    told = " ".join(lines)
    assert f"{len(candidates)} of the {len(WORDS)} words of" in told
    if len(candidates) <= MAX_WORDS_SHOWN:
        assert ", ".join(candidates) in told
    else:
        assert candidates[0] not in told


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        (["_ p p 1 e"], "pattern '_ p p 1 e': '1' is neither a letter a to z nor a blank"),
        (["bane"], "pattern 'bane': no letter is hidden"),
        (["b_n_", "b"], "wrong letters 'b': 'b' is shown in the pattern"),
        (["b_n_", "acdefghijklmopqrstuvwxyz"], "wrong letters 'ac"),
        (["b_n_", "cdfghi"], "wrong letters 'cdfghi': the game is lost at 6 of them"),
    ],
)
def test_invalid_input_is_explained_in_one_line_and_asked_again(assist, typed, problem):
    lines = assist(*typed)
    line = next(number for number, line in enumerate(lines) if line.startswith(problem))
    prompt = "pattern:" if len(typed) == 1 else "wrong letters (Enter: none):"
    assert lines[line - 1].startswith(prompt)
    assert lines[line + 1].startswith(prompt)


@pytest.mark.slow
def test_the_sample_of_the_guide_is_what_the_program_prints(run_command):
    guide = (ROOT / "docs/playing.md").read_text()
    (sample,) = re.findall(r"\$ python play.py --assist\n(.*?)```", guide, re.DOTALL)
    _, output = run_command(["--assist"], ["_ pp _ e", "i o"])
    assert sample in output
