"""What several tests use: real words, and few threads."""

import os

os.environ.setdefault("NUMBA_NUM_THREADS", "2")

import matplotlib as mpl
import pytest
import torch

mpl.use("Agg")
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def real_words():
    """About 4,000 words of the default list, spread over the alphabet."""
    from envs.words import default_word_list

    return default_word_list().words[::59]


@pytest.fixture(scope="session")
def few_words():
    return tuple(
        "a i ox an cat dog dot tee eel noon apple hangman banana letter puzzle jazz rhythm "
        "mississippi bookkeeper abcdefghijklmnop".split()
    )
