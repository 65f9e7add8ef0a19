"""Bit sets of words, compared with a linear search."""

import numpy as np

from hangman_lab.agents.word_arrays import WordArrays
from hangman_lab.agents.word_sets import fitting_words, search_room, word_sets
from hangman_lab.envs.encoding import BLANK
from tests.agents.games import random_states


def test_words_keep_their_letters_and_order(few_words):
    words = WordArrays.of(few_words)
    ordered = words.take(words.order())
    text = ["".join(chr(95 + code) for code in row if code) for row in ordered.codes]
    assert text == sorted(few_words, key=lambda word: (len(word), word))
    assert ordered.lengths.tolist() == [len(word) for word in text]


def test_the_words_that_fit_are_found(real_words):
    arrays = WordArrays.of(real_words)
    arrays = arrays.take(arrays.order())
    sets = word_sets(arrays)
    states, _ = random_states(real_words[::17], seed=2)
    room = search_room(sets)
    compared = 0
    for word, guessed in zip(states["word"], states["guessed"], strict=True):
        length = int((word != 0).sum())
        found = fitting_words(word[:length], guessed, sets, True, True, room)
        expected = []
        for number in np.flatnonzero(arrays.lengths == length):
            codes = arrays.codes[number, :length]
            blank = word[:length] == BLANK
            shown_agree = (codes[~blank] == word[:length][~blank]).all()
            if shown_agree and not guessed[codes[blank] - 2].any():
                expected.append(number)
        assert found.tolist() == expected
        compared += len(found) > 0
    assert compared > 20
    for number in range(0, len(arrays.lengths), 50):
        letters = {int(code) - 2 for code in arrays.codes[number, : arrays.lengths[number]]}
        assert sets.letters[number] == sum(1 << letter for letter in letters)
