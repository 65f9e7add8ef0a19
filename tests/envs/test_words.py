import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.encoding import ALPHABET, decode
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.words import (
    PARTS,
    Split,
    WordList,
    clean_words,
    common_words,
    default_common,
    default_known,
    default_word_list,
    frequent_words,
    hash_words,
    load_word_list,
    read_word_list,
)

words_strategy = st.text(ALPHABET, min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("content", "words", "counts"),
    [
        (b"dog\n\n   \n\t\ncat", ("cat", "dog"), {"blank": 3}),
        (b"Dog\ndog\nDOG\n", ("dog",), {"duplicate": 2}),
        (b"dog\r\ncat\r\n\r\n", ("cat", "dog"), {"blank": 1}),
        (b"\xef\xbb\xbfdog\ncat\n", ("cat", "dog"), {}),
        (b"  dog \n\tcat\n", ("cat", "dog"), {}),
        # In lower case, the Kelvin sign is a k.
        ("dog\n\u212aiwi\nit's\nab1\ntwo words\n".encode(), ("dog",), {"with other characters": 4}),
        (b"dog\nna\xefve\n\xff\xfe\n", ("dog",), {"with other characters": 2}),
        (b"a" * 32 + b"\n" + b"a" * 33 + b"\n", ("a" * 32,), {"over 32 letters": 1}),
    ],
)
def test_a_list_is_cleaned_by_the_stated_rules(tmp_path, content, words, counts):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    word_list = read_word_list(path)
    assert word_list.words == words
    assert {rule: count for rule, count in word_list.dropped.items() if count} == counts
    # Words at hand are cleaned as those of a file.
    listed = load_word_list(content.decode("utf-8-sig", "replace").splitlines())
    assert (listed.words, listed.dropped, listed.source) == (words, word_list.dropped, "words")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "no usable word; .* letters a to z"),
        (b"\x7fELF\0\nword\n", "not a text file; UTF-8 with one word per line"),
        *((path, "cannot read the word list") for path in (".", None, 5, ("a",))),
    ],
)
def test_what_is_no_file_with_a_list_of_words_is_refused_in_one_line(tmp_path, source, message):
    path = source
    if isinstance(source, bytes):
        path = tmp_path / "words.txt"
        path.write_bytes(source)
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}: .*{message}.*\Z"):
        read_word_list(path)


def test_the_default_list_is_web2_in_letters_a_to_z():
    word_list = load_word_list()
    assert word_list is default_word_list()
    assert word_list is load_word_list("web2")
    assert word_list.source == "web2"
    assert len(word_list) > 200_000
    assert {"apple", "hangman", "zebra"} < set(word_list.words)


@settings(max_examples=50)
@given(st.sets(words_strategy, min_size=1), st.sets(words_strategy), st.randoms(), st.integers(0))
def test_the_split_does_not_move_when_the_list_is_shuffled_or_grows(words, more, random, seed):
    split = Split(seed, (0.5, 0.25, 0.25))
    before = {word: split.part(word) for word in words}
    grown = list(words | more)
    random.shuffle(grown)
    parts = split.divide(clean_words(grown, "test"))
    for word, part in before.items():
        assert word in parts[part]
    assert sorted(word for part in parts.values() for word in part) == sorted(grown)
    assert split.divide(sorted(grown)) == parts


def test_the_split_of_known_words_never_changes():
    # Runs that were made before rely on it.
    parts = [Split().part(word) for word in ("apple", "hangman", "zebra", "quiz", "jazz", "abbey")]
    assert parts == ["test", "train", "train", "train", "train", "train"]
    assert hash_words(["apple"]).tolist() == [16118089804393287318]
    with pytest.raises(InputError, match="word: None is not a str"):
        Split().part(None)
    assert Split().part("\ud800") in PARTS


@pytest.mark.parametrize("fractions", [(0.9, 0.05, 0.05), (0.8, 0.0, 0.2), (0.34, 0.33, 0.33)])
def test_the_parts_have_the_shares_that_were_asked_for(fractions):
    words = default_word_list().words[::4]
    parts = Split(3, fractions).divide(WordList(words, "test", {}))
    for name, fraction in zip(PARTS, fractions, strict=True):
        deviation = (fraction * (1 - fraction) / len(words)) ** 0.5
        assert abs(len(parts[name]) / len(words) - fraction) <= 4 * deviation


@pytest.mark.parametrize(
    "fractions",
    [(0.9, 0.1), (0.9, 0.05, 0.06), (0.0, 0.5, 0.5), (float("nan"), 0.5, 0.5), None, "abc"],
)
def test_shares_that_make_no_split_are_refused(fractions):
    with pytest.raises(InputError, match=r"split\.fractions"):
        Split(0, fractions)
    with pytest.raises(InputError, match=r"split\.seed: 1\.0 is not an integer"):
        Split(1.0)


LIST = ("a", "i", "ox", "cat", "dog", "cow", "hen", "pig", "bat", "rat", "ant", "bee", "fox")


def test_secrets_are_drawn_equally_often_by_stream_and_episode_alone():
    secrets, shuffled = SecretWords(LIST), SecretWords([*LIST[::-1], *LIST])
    streams, episodes = keyed_bits(np.arange(40_000) // 7), np.arange(40_000) % 7
    drawn = secrets.draw(streams, episodes).codes
    assert drawn.tolist() == secrets.draw(streams[::-1], episodes[::-1]).codes[::-1].tolist()
    assert drawn.tolist() == shuffled.draw(streams, episodes).codes.tolist()
    words, counts = np.unique([decode(codes) for codes in drawn], return_counts=True)
    assert set(words) == set(LIST)
    assert chisquare(counts).pvalue > 1e-3


def test_the_common_list_has_words_that_people_use():
    wordfreq = pytest.importorskip("wordfreq", reason="wordfreq is not installed")
    common = load_word_list("common")
    assert set(common.words) < set(default_word_list().words)
    top = wordfreq.top_n_list("en", 20_000)
    assert set(common.words) <= set(top)
    # The rarest of them are in it, too.
    assert set(common.words) & set(top[-100:])
    assert {"house", "jazz", "rhythm"} <= set(common.words)
    assert not {"familistical", "chaetopodan"} & set(common.words)
    # Names, also those that are words, and what one does not show.
    assert not {"hume", "jeffrey", "kent", "dominic", "whore"} & set(common.words)
    assert min(map(len, common.words)) == 3


def test_frequent_words_are_in_the_order_of_their_frequency_and_need_not_be_listed():
    words = frequent_words(3_000)
    assert words.index("this") < words.index("house") < words.index("online")
    assert "online" not in default_word_list().words
    assert frequent_words(1_000) == [word for word in words if word in set(frequent_words(1_000))]
    assert set(frequent_words(20_000)) & set(default_word_list().words) == {
        *load_word_list("common").words
    }


@pytest.mark.parametrize(
    ("source", "elsewhere", "common"),
    [("common", False, 0.9), ("web2", False, 0.0), ("my.txt", False, 0.5), ("web2", True, 0.5)],
)
def test_people_choose_words_as_their_list_tells(source, elsewhere, common):
    assert default_common(source, elsewhere) == common
    assert default_known(common) == (0.7 if common else 0.5)


def test_without_wordfreq_one_line_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("hangman_lab.envs.words.find_spec", lambda name: None)
    for use in (load_word_list, common_words):
        with pytest.raises(InputError, match=r"^common words: .* pip install '\.\[agents\]'"):
            use("common")
