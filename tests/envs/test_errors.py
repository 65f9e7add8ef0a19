from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.errors import InputError


@given(st.text(), st.integers(0, 5000))
def test_a_message_is_one_line_that_keeps_its_beginning_and_its_end(text, length):
    message = str(InputError(f"words: {text}\n{'x' * length} is not a word"))
    assert len(message.splitlines()) == 1
    assert len(message) < 1000
    assert message.startswith("words: ")
    assert message.endswith("x is not a word" if length else "is not a word")
