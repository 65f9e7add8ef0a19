import numpy as np
import pytest
from scipy.stats import chisquare

from envs.encoding import decode
from envs.hangman.secrets import SecretWords

LIST = ("a", "i", "ox", "cat", "dog", "cow", "hen", "pig", "bat", "rat", "ant", "bee", "fox")


def drawn(secrets, number=40_000):
    streams = np.arange(number, dtype=np.uint64)
    words = secrets.draw(streams, np.zeros(number, dtype=np.int64))
    return np.unique([decode(codes) for codes in words.codes], return_counts=True)


def test_uniform_sampling_draws_each_word_equally_often():
    words, counts = drawn(SecretWords(LIST))
    assert set(words) == set(LIST)
    assert chisquare(counts).pvalue > 1e-3


def test_sampling_by_length_draws_each_length_equally_often_and_its_words_too():
    words, counts = drawn(SecretWords(LIST, sampling="by_length"))
    lengths = np.array([len(word) for word in words])
    by_length = np.bincount(lengths, weights=counts)[1:]
    assert chisquare(by_length).pvalue > 1e-3
    assert chisquare(counts[lengths == 3]).pvalue > 1e-3
    assert chisquare(counts[lengths == 1]).pvalue > 1e-3


@pytest.mark.parametrize("sampling", ["uniform", "by_length"])
def test_a_draw_depends_on_its_stream_and_episode_alone(sampling):
    secrets = SecretWords(LIST, sampling=sampling)
    streams = np.arange(100, dtype=np.uint64)
    episodes = np.arange(100) % 7
    batch = secrets.draw(streams, episodes)
    backwards = secrets.draw(streams[::-1], episodes[::-1])
    assert batch.codes.tolist() == backwards.codes[::-1].tolist()
    shuffled = SecretWords([*LIST[::-1], *LIST], sampling=sampling)
    assert shuffled.draw(streams, episodes).codes.tolist() == batch.codes.tolist()


def test_words_outside_the_lengths_are_never_drawn():
    secrets = SecretWords(LIST, min_length=2, max_length=2)
    assert drawn(secrets, 100)[0].tolist() == ["ox"]
    assert secrets.width == 2


def test_no_word_of_the_lengths_is_refused():
    with pytest.raises(ValueError, match="none of 13 has 7 to 9 letters"):
        SecretWords(LIST, min_length=7, max_length=9)
    with pytest.raises(ValueError, match="by_length"):
        SecretWords(LIST, sampling="often")
    with pytest.raises(ValueError, match="letters a to z"):
        SecretWords(["Cat"])


def test_forced_words_need_not_be_in_the_list_but_have_to_fit():
    secrets = SecretWords(LIST)
    assert decode(secrets.encode(["zoo"]).codes[0]) == "zoo"
    with pytest.raises(ValueError, match="1 to 3 letters"):
        secrets.encode(["zebra"])
