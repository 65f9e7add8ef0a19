"""A Ray cluster of two nodes on this machine, in a process of its own."""

import subprocess
import sys

from tests.processes import environment

_SCRIPT = """
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


class TwoNodes:
    """A head and another node, with a core each."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(),
        )
        self.pid = self._process.pid
        self.address = self._process.stdout.readline().strip()

    def remove(self):
        """Remove the node that is not the head, as if its machine were switched off."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "removed\n"

    def stop(self):
        self._process.communicate("\n\n")
