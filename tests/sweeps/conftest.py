"""Sweeps small enough to be run in seconds."""

import json
import subprocess
import sys

import pytest

from hangman_lab.sweeps.sweep_file import load_sweep
from tests.conftest import TINY_CONFIG
from tests.processes import environment

RATES = (0.001, 0.01)


@pytest.fixture(scope="session")
def few_hundred_words(tmp_path_factory, real_words):
    words = tmp_path_factory.mktemp("words") / "words.txt"
    words.write_text("\n".join(real_words[::30]) + "\n")
    return words


@pytest.fixture(scope="session")
def base_recipe(tmp_path_factory):
    base = tmp_path_factory.mktemp("base") / "base.yaml"
    base.write_text(TINY_CONFIG.replace("2_048", "1_536").replace("4_096", "1_536"))
    return base


@pytest.fixture
def write_sweep(tmp_path, base_recipe):
    """Return a function: a sweep file of two learning rates and two seeds, with changes."""

    def write(**changes):
        described = {
            "name": "tiny",
            "base": str(base_recipe),
            "set": {"learner.num_envs": 32, "validation.games": 30},
            "space": {"learner.learning_rate": {"grid_search": list(RATES)}},
            "seeds": 2,
            "storage": str(tmp_path / "sweeps"),
        }
        path = tmp_path / "tiny.yaml"
        path.write_text(json.dumps(described | changes))  # JSON is YAML
        return path

    return write


@pytest.fixture
def make_sweep(write_sweep, few_hundred_words):
    """Return a function: the sweep of such a file."""
    return lambda **changes: load_sweep(write_sweep(**changes), words=str(few_hundred_words))


_TWO_NODES = """
import os, sys
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
node = cluster.add_node(num_cpus=1)
print(cluster.address, flush=True)
sys.stdin.readline()
cluster.remove_node(node, allow_graceful=False)
print("removed", flush=True)
sys.stdin.readline()
cluster.shutdown()
"""


@pytest.fixture
def two_nodes():
    """A Ray cluster of two nodes of a core each: its address, and a function that removes one."""
    cluster = subprocess.Popen(
        [sys.executable, "-c", _TWO_NODES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )

    output = cluster.stdout
    assert output is not None

    def remove():
        print(file=cluster.stdin, flush=True)
        assert output.readline() == "removed\n"

    yield output.readline().strip(), remove
    cluster.communicate("\n\n")
