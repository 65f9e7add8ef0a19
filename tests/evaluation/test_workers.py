"""evaluate.py --workers on a real Ray plays the same games as without workers."""

import json
import subprocess
import time

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.command_line import main
from hangman_lab.evaluation.ray_cluster import play_on_workers, ray_cluster
from hangman_lab.run_files.agents import load_run_agent
from tests.processes import assert_refused, run, run_main, start

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ray():
    with ray_cluster("local", "--workers", object_store_bytes=2**27):
        yield


@pytest.mark.usefixtures("ray")
def test_workers_play_the_same_games(tiny_run, real_words):
    agents = [
        load_run_agent("ppo", tiny_run[0], ()),
        make_agent("dictionary").fit(real_words[::2]),
        make_agent("random", seed=3),
    ]
    for agent in agents:
        for words in (real_words[::9], ()):
            ended = []
            expected = play(agent, words, batch_size=64)
            played = play_on_workers(agent, words, batch_size=64, advance=ended.append)
            assert played.equals(expected)
            assert sum(ended) == len(expected)


def evaluation_in(path):
    """Return the JSON of an evaluation without the speed."""
    evaluation = json.loads(path.read_text())
    for statistics in evaluation["agents"].values():
        del statistics["games_per_second"]
    return evaluation


def playing_pids(parent):
    """The workers that play, of the Ray that a process started; not those of other tests."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout
    lines = [line.split(maxsplit=2) for line in listed.splitlines()[1:]]
    parents = {int(pid): int(parent) for pid, parent, _ in lines}
    playing = [int(pid) for pid, _, command in lines if command.startswith("ray::_play_batch")]
    # Between the process and its workers is a raylet.
    return [pid for pid in playing if parents.get(parents[pid]) == parent]


def test_a_lost_node_does_not_change_the_games(tmp_path, two_nodes, real_words):
    # Several batches, so that games are still played when the node goes.
    words = tmp_path / "words.txt"
    pairs = (a + b for a in real_words[::20] for b in real_words[::20] if len(a + b) <= 32)
    words.write_text("\n".join(pairs))
    arguments = ("--agents", "dictionary", "--words", words, "--split", "train", "--json")
    cluster, alone = tmp_path / "cluster", tmp_path / "alone"
    process = start("evaluate.py", *arguments, cluster, "--workers", two_nodes.address)
    while len(playing_pids(two_nodes.pid)) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.2)
    two_nodes.remove()
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert run("evaluate.py", *arguments, alone).returncode == 0
    assert evaluation_in(cluster) == evaluation_in(alone)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense"])
def test_an_unreachable_cluster_is_one_line(address, capsys):
    done = run_main(main, capsys, "--agents", "random", "--games", 10, "--workers", address)
    assert_refused(done, "evaluate.py", "--workers", repr(address))
