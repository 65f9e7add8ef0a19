"""The cheating host, compared with a plain referee that goes through all words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.encoding import decode, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.vector import HangmanVectorEnv

WORDS = st.lists(st.text("abcd", min_size=1, max_size=5), min_size=1, max_size=40, unique=True)
LETTERS = st.lists(st.sampled_from("abcde"), max_size=8)


def masked(word, guessed):
    return "".join(letter if letter in guessed else "_" for letter in word)


def family(words, shown, guessed, letter):
    """The largest family of the words that fit, by the rules in words."""
    families = {}
    for word in words:
        if masked(word, guessed) == shown:
            families.setdefault(masked(word, guessed + letter), []).append(word)
    hidden = {look: look.count("_") for look in families}
    # Of families alike: none or few places shown, then alphabetically, with blanks first.
    best = min(
        families, key=lambda look: (-len(families[look]), -hidden[look], look.replace("_", " "))
    )
    return families[best]


@given(st.none() | WORDS, LETTERS)
def test_the_host_keeps_the_largest_family(real_words, words, letters):
    words = words or [word for word in real_words if len(word) == 8]
    env = HangmanEnv(words, host="evil", max_wrong=26, repeated_guess="free")
    observation, info = env.reset(seed=0)
    guessed = ""
    for letter in letters:
        kept = family(words, decode(observation["word"]), guessed, letter)
        observation, _, terminated, _, info = env.step(letter_index(letter))
        guessed += letter
        assert decode(observation["word"]) == masked(kept[0], guessed)
        assert observation["lives"] == 26 - len(set(guessed) - set(kept[0]))
        assert env.secret == min(kept)
        if terminated:
            assert info["won"]
            break


@pytest.mark.parametrize("kind", [HangmanEnv, HangmanVectorEnv])
def test_a_word_cannot_be_set(kind, few_words):
    env = kind(words=few_words, host="evil")
    env.reset(seed=0, options={"word": None})
    with pytest.raises(ValueError, match="so that none can be set"):
        env.reset(options={"word": "noon"})
