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
        ("recorded_runs=-1", "recorded_runs: '-1' is not allowed"),
        ("recorded_runs=many", "recorded_runs: 'many' is not allowed"),
        ("recorded_runs=1.5", "recorded_runs"),
        ("request_rate=0", "request_rate: '0' is not allowed"),
        ("request_rate=inf", "request_rate"),
        ("request_rate=nan", "request_rate"),
        ("request_rate=1e-310", "greater than or equal to 0.001"),
        ("body_seconds=1e300", "body_seconds"),
        ("port=1", "'port' is unknown"),
        ("max_wrong=27", "max_wrong"),
        ("max_wrong=[", "max_wrong"),
    ],
)
def test_what_cannot_be_a_setting_is_explained(assignment, said):
    with pytest.raises(InputError, match=r"^--set") as error:
        read_settings([assignment])
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_environment_comes_before_the_file_and_the_command_line_before_both(
    tmp_path, monkeypatch
):
    file = tmp_path / "settings.env"
    file.write_text("HANGMAN_PORT=1\nHANGMAN_GUESTS=2\nHANGMAN_MAX_WRONG=3\n")
    monkeypatch.setenv("HANGMAN_GUESTS", "4")
    monkeypatch.setenv("HANGMAN_MAX_WRONG", "5")
    settings = read_settings(["max_wrong=6"], {"host": None}, str(file))
    assert (settings.port, settings.guests, settings.max_wrong) == (1, 4, 6)
    assert settings.host == Settings().host


def test_what_is_wrong_in_the_environment_or_the_file_is_named(tmp_path, monkeypatch):
    file = tmp_path / "settings.env"
    file.write_text("HANGMAN_SPEED=1\n")
    with pytest.raises(InputError, match=r"^--env-file: HANGMAN_SPEED is not a setting$"):
        read_settings(env_file=str(file))
    with pytest.raises(InputError, match=r"^--env-file: .*nothing is not a file$"):
        read_settings(env_file=str(tmp_path / "nothing"))
    monkeypatch.setenv("HANGMAN_PORT", "many")
    with pytest.raises(InputError, match=r"^HANGMAN_PORT: 'many' is not allowed"):
        read_settings()
