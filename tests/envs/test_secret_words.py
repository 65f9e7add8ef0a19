import pickle

import numpy as np
import pytest

from hangman_lab.envs import HangmanEnv, HangmanVecEnv, HangmanVectorEnv, TextHangman
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.words import PARTS, Split, default_word_list
from tests.envs.test_words import LIST


def test_the_words_of_a_seed_never_change():
    # Published figures rely on it.
    env = HangmanVectorEnv(3, words=LIST)
    env.reset(seed=0)
    assert env.secrets == ("bat", "a", "rat")
    env.reset()
    assert env.secrets == ("bat", "ox", "cow")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_split_is_as_wide_as_the_list(part):
    secrets = SecretWords(split=part)
    drawn = secrets.draw(np.zeros(2, np.uint64), np.arange(2))
    assert sorted(secrets.words) == list(Split().divide(default_word_list())[part])
    assert secrets.width == SecretWords().width == drawn.width


def test_a_pickle_has_the_same_words_of_which_none_can_be_set(real_words):
    secrets = SecretWords(real_words, 2, 5, settable=False, split="valid")
    copy = pickle.loads(pickle.dumps(secrets))
    assert copy.words == secrets.words
    with pytest.raises(InputError, match="the word is the host's choice"):
        copy.encode(copy.words[:1])


@pytest.mark.parametrize(("share", "expected"), [(0, 0.02), (0.5, 0.51), (1, 1)])
def test_a_share_of_the_words_is_drawn_from_preferred_ones(real_words, share, expected):
    secrets = SecretWords(real_words[:100])
    preferred = {*real_words[3:5], "xylophonists"}
    secrets.prefer(preferred, share)
    streams = np.arange(5000, dtype=np.uint64)
    for each in (secrets, pickle.loads(pickle.dumps(secrets))):
        rows = each.draw_rows(streams, np.zeros(5000, np.int64))
        counts = np.bincount([each.words[row] in preferred for row in rows], minlength=2)
        assert counts[1] / 5000 == pytest.approx(expected, abs=0.02)
        # Both parts are drawn uniformly.
        others = np.bincount(rows, minlength=100)
        assert others[[each.words.index(word) for word in real_words[3:5]]].std() < 60
        assert share == 1 or np.count_nonzero(others) == 100
    secrets.prefer([], 1)
    assert secrets.draw_rows(streams, np.zeros(5000, np.int64)).tolist() == (
        SecretWords(real_words[:100]).draw_rows(streams, np.zeros(5000, np.int64)).tolist()
    )
    with pytest.raises(InputError, match=r"share: 2 is not a number in 0\.\.1"):
        secrets.prefer(preferred, 2)


def test_every_environment_plays_a_part_of_the_split(real_words):
    valid = {word for word in real_words if Split().part(word) == "valid"}
    single, text = HangmanEnv(real_words, split="valid"), TextHangman(real_words, split="valid")
    batch = HangmanVectorEnv(64, words=real_words, split="valid")
    sb3 = HangmanVecEnv(64, words=real_words, split="valid")
    for env in (single, text, batch):
        env.reset(seed=0)
    sb3.seed(0)
    sb3.reset()
    assert {single.secret, text.secret, *batch.secrets} <= valid
    assert [single.secret, text.secret] == [batch.secrets[0]] * 2
    assert sb3.get_attr("secret") == list(batch.secrets)
    with pytest.raises(InputError, match="split: 'tset' is not one of"):
        HangmanEnv(real_words, split="tset")
    with pytest.raises(InputError, match="words: none of 1 is in the part 'test' of the split"):
        HangmanEnv(["a"], split="test")
