"""evaluate.py --workers on a real Ray: the same games as without it, whoever plays them."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest

from agents import make_agent
from envs.errors import InputError
from evaluation.arena import play
from evaluation.command_line import main
from evaluation.ray_cluster import ray_cluster
from evaluation.workers import Workers
from runs.agents import load_run_agent
from tests.processes import assert_refused, run, start

pytestmark = pytest.mark.slow

FIELDS = ("word_index", "won", "wrong_guesses", "letters")


def same_games(ours, theirs):
    return ours.words == theirs.words and all(
        np.array_equal(getattr(ours, field), getattr(theirs, field)) for field in FIELDS
    )


@pytest.fixture(scope="module")
def workers():
    with ray_cluster("local", "--workers", object_store_bytes=2**27) as ray:
        yield Workers(ray)


def playing_pids():
    """The processes of this test's Ray that play; without its agents, a machine is lost."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout
    lines = [line.split(maxsplit=2) for line in listed.splitlines()[1:]]
    parents = {int(pid): int(parent) for pid, parent, _ in lines}
    playing = [int(pid) for pid, _, command in lines if command.startswith("ray::_play_batch")]
    # Raylet's workers; raylet is a child of this process.
    return [pid for pid in playing if parents.get(parents[pid]) == os.getpid()]


@pytest.mark.parametrize("batch_size", [64, 1000])
def test_workers_play_the_same_games(workers, tiny_run, real_words, batch_size):
    words, progress = real_words[::9], []
    run_directory = tiny_run[0]
    agents = [
        load_run_agent("ppo", run_directory, ()),
        make_agent("dictionary").fit(real_words[::2]),
        make_agent("random", seed=3),
    ]
    for agent in agents:
        expected = play(agent, words, repeats=2, batch_size=batch_size)
        played = workers.play(
            agent,
            words,
            repeats=2,
            batch_size=batch_size,
            progress=lambda n, won: progress.append((n, won)),
        )
        assert same_games(played, expected)
        assert sum(n for n, _ in progress) == len(expected)
        assert sum(won for _, won in progress) == expected.won.sum()
        progress.clear()


def test_no_words_are_no_games(workers, real_words):
    agent = make_agent("random")
    assert same_games(workers.play(agent, ()), play(agent, ()))


class SlowAgent(type(make_agent("random"))):
    """Plays long enough to be killed."""

    def act(self, observations, games=None):
        time.sleep(0.05)
        return super().act(observations, games)


def test_the_games_of_a_lost_worker_are_played_again(workers, real_words):
    killed = []

    def kill_one(games, won):
        if not killed:
            killed.extend(playing_pids()[:1])
            os.kill(killed[0], signal.SIGKILL)

    agent = SlowAgent(3)
    words = real_words[:400]
    played = workers.play(agent, words, batch_size=50, progress=kill_one)
    assert killed
    assert same_games(played, play(make_agent("random", 3), words, batch_size=50))


def test_an_error_of_an_agent_is_raised_as_it_is(workers, real_words):
    with pytest.raises(AttributeError):
        workers.play(make_agent("dictionary"), real_words[:10])


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if key != "games_per_second"}
    return value


def test_the_figures_of_the_command_are_the_same(tmp_path, tiny_files):
    figures = []
    for name, more in (("alone", ()), ("workers", ("--workers", "local"))):
        done = run(
            "evaluate.py", "--agents", "dictionary", "random", "--words", tiny_files[1], "--json",
            tmp_path / name, *more,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        figures.append(without_times(json.loads((tmp_path / name).read_text())))
    assert figures[0] == figures[1]


def test_a_node_may_be_lost_while_its_games_are_played(tmp_path, two_nodes, tiny_files):
    arguments = (
        "evaluate.py", "--agents", "dictionary", "--words", tiny_files[1], "--split", "train",
        "--repeats", "40", "--json",
    )  # fmt: skip
    process = start(*arguments, tmp_path / "cluster", "--workers", two_nodes.address)
    time.sleep(8)
    two_nodes.remove()
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert run(*arguments, tmp_path / "alone").returncode == 0
    ours, theirs = (
        without_times(json.loads((tmp_path / name).read_text())) for name in ("cluster", "alone")
    )
    assert ours == theirs


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1:1"])
def test_a_cluster_that_is_not_there_is_one_line(address, capsys):
    status = main(["--agents", "random", "--games", "10", "--workers", address])
    printed = capsys.readouterr()
    done = subprocess.CompletedProcess([], status, printed.out, printed.err)
    assert_refused(done, "evaluate.py", "--workers", repr(address))


def test_no_cluster_on_this_machine_is_one_line(monkeypatch):
    def init(address, **options):
        raise ConnectionError(f"no Ray was found for {address}\nand more")

    monkeypatch.setattr("ray.init", init)
    with (
        pytest.raises(InputError, match=r"^--workers: no Ray .* 'auto' \(no Ray .* auto\)$"),
        ray_cluster("auto", "--workers"),
    ):
        pass
