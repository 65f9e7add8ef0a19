"""Settings from the command line."""

import pytest

from envs.errors import InputError
from server.settings import Settings, read_settings


def test_nothing_set_is_the_defaults():
    assert read_settings([]) == Settings()


def test_values_are_read():
    settings = read_settings(["recorded_runs=5", "request_rate=2.5", "request_burst=1e3"])
    assert (settings.recorded_runs, settings.request_rate, settings.request_burst) == (
        5,
        2.5,
        1000.0,
    )


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("recorded_runs", "NAME=VALUE"),
        ("speed=1", "'speed' is unknown; known are max_wrong"),
        ("recorded_runs=-1", "recorded_runs: -1 is not allowed"),
        ("recorded_runs=many", "recorded_runs: 'many' is not allowed"),
        ("recorded_runs=1.5", "recorded_runs"),
        ("request_rate=0", "request_rate: 0 is not allowed"),
        ("request_rate=inf", "request_rate"),
        ("request_rate=nan", "request_rate"),
        ("max_wrong=27", "max_wrong"),
        ("max_wrong=[", "max_wrong"),
    ],
)
def test_what_cannot_be_a_setting_is_explained(assignment, said):
    with pytest.raises(InputError, match=r"^--set") as error:
        read_settings([assignment])
    assert said in str(error.value)
    assert "\n" not in str(error.value)
