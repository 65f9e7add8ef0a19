"""Which words games have."""

from collections import Counter

import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import Split, clean_words, default_word_list
from hangman_lab.run_files.config import Config, EnvConfig
from hangman_lab.run_files.words import split_words
from hangman_lab.server.served_words import divide_words, draw_word
from hangman_lab.server.settings import Settings


def divide(word_list, lengths=(1, 32), words="a list", **settings):
    config = Config(env=EnvConfig(min_length=lengths[0], max_length=lengths[1]))
    return divide_words(split_words(config, word_list), Settings(words=words, **settings))


@pytest.fixture
def word_list(real_words):
    return clean_words(real_words, "a list")


def test_recorded_games_have_test_words_and_practice_games_valid_words(word_list):
    parts = Split().divide(word_list)
    served = divide(word_list)
    divided = {"train": served.to_fit, "valid": served.practice, "test": served.recorded}
    assert divided == parts
    assert "(test)" in served.description
    assert "(valid)" in served.description
    served = divide(word_list, lengths=(5, 6))
    assert {len(word) for word in (*served.recorded, *served.practice)} == {5, 6}


def test_a_list_that_is_too_short_is_served_whole():
    word_list = clean_words(["banana"], "a list")
    served = divide(word_list)
    assert served.recorded == served.practice == served.to_fit == ("banana",)
    assert served.description.count("(all)") == 2
    assert "too few to be split" in served.description
    with pytest.raises(InputError, match=r"^--words: a list has too few words to serve"):
        divide(word_list, lengths=(1, 5))


def test_draws_are_uniform_and_deterministic():
    words = ("apple", "banana", "jazz", "noon")
    games = [f"1 True {number}" for number in range(4000)]
    drawn = [draw_word(words, (), b"key", game) for game in games]
    # 7 standard deviations of a uniform draw.
    assert all(abs(count - 1000) < 7 * 28 for count in Counter(drawn).values())
    assert drawn == [draw_word(words, (), b"key", game) for game in games]
    assert drawn != [draw_word(words, (), b"another key", game) for game in games]


def test_recorded_words_of_a_file_exclude_public_and_fitted_ones(word_list, tmp_path):
    path = tmp_path / "own.txt"
    # The pretrained run was fitted on the train words.
    fitted = set(Split().divide(default_word_list())["train"]) - {*word_list.words}
    served = divide(word_list)
    path.write_text("\n".join(["grfzgl", served.recorded[0], "blorptang", min(fitted)]))
    used = divide(word_list, recorded_words=path)
    assert set(used.recorded) == {"grfzgl", "blorptang"}
    assert used.withheld
    assert not served.withheld
    assert used.practice == served.practice
    assert used.listed == served.listed == word_list.words  # reviews name none of the file's
    assert "(2 public ones excluded)" in used.description
    assert "blorptang" not in used.description
    path.write_text("\n".join(served.recorded[:3]))
    with pytest.raises(InputError, match=r"^--recorded-words: all words of "):
        divide(word_list, recorded_words=path)


def test_practice_words_are_common_and_not_recorded_ones():
    wordfreq = pytest.importorskip("wordfreq", reason="wordfreq is not installed")
    served = divide(default_word_list(), words=None)
    assert "(common)" in served.description
    assert not set(served.practice) & set(served.recorded)
    known = set(wordfreq.top_n_list("en", 20_000))
    drawn = [draw_word(served.practice, (), b"key", str(number)) for number in range(100)]
    assert sum(word in known for word in drawn) >= 95
    rare = clean_words(["qqqx", "zzyzx"], "a list without common words")
    assert divide(rare, words=None) == divide(rare)
