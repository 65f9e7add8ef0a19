import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import WordList, read_word_list
from hangman_lab.run_files.config import Config, EnvConfig
from hangman_lab.run_files.words import draw_words, load_words, split_words

WORDS = tuple(f"{first}{middle}{last}" for first in "bcdf" for middle in "aeiou" for last in "lmnt")


def test_the_parts_have_the_words_of_the_runs_lengths(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join([*WORDS, "a", "ox", "oxen"]))
    config = Config(env=EnvConfig(min_length=2, max_length=3)).with_words(str(path))
    words = load_words(config)
    assert sorted(word for part in words.parts.values() for word in part) == sorted([*WORDS, "ox"])
    assert words.part("train") == words.parts["train"]
    assert words.parts_or_whole() == (words.parts, "")
    short = split_words(Config(env=EnvConfig(max_length=1)), read_word_list(path))
    missing = next(name for name, part in short.parts.items() if not part)
    with pytest.raises(InputError, match=f"no {missing} word of 1 to 1 letters"):
        short.part(missing)
    whole, note = short.parts_or_whole()
    assert whole == dict.fromkeys(("train", "valid", "test"), ("a",))
    assert "too few" in note


def test_an_agent_that_learned_from_play_knows_what_it_uncovered_of_the_list():
    parts = split_words(Config(), WordList(WORDS, "words", {})).parts
    train, valid = parts["train"], parts["valid"]
    learned = ("elsewhere", *train[3:], valid[0])
    known = split_words(Config(), WordList(WORDS, "words", {})).known_to(learned).parts
    assert (known["train"], known["uncovered"], known["missed"]) == (learned, train[3:], train[:3])
    assert (known["valid"], known["test"]) == (valid[1:], parts["test"])


def test_drawn_words_do_not_depend_on_their_order():
    drawn = draw_words(WORDS, 10)
    assert len(set(drawn)) == 10
    assert draw_words(WORDS[::-1], 10) == drawn
    assert draw_words(WORDS, 10, 1) != drawn
    assert sorted(draw_words(WORDS, 1000)) == sorted(WORDS)
