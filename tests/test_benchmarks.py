"""The benchmarks on tiny inputs: they run and print their tables."""

import pytest

from benchmarks.hosts import main as hosts
from benchmarks.prior import main as prior
from hangman_lab.run_files.directory import PRETRAINED
from tests.processes import assert_refused, run, run_main


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "printed"),
    [
        ("attacks", ["--attacks", "alone", "--seconds", 0.5], "0 errors, p50"),
        ("common", ["WORDS"], "exponent 0.5"),
        ("env_throughput", ["--seconds", 0.1], "CartPole in NumPy"),
        ("hosts", ["--lengths", 22, "--agents", "random", "--runs", PRETRAINED], "picking"),
        ("hosts", ["lives", "--words", "WORDS"], "fewest lives"),
        ("hosts", ["bounds", "--lengths", 22, "--rounds", 2, 4, "--plot", "PLOT"], "lower"),
        ("ppo_gain", ["--runs", PRETRAINED, PRETRAINED, "--games", 40], "look-ahead minus"),
        ("prior", [], "bits per word"),
    ],
)
def test_a_benchmark_prints_its_results(name, arguments, printed, tinier_files, tmp_path):
    files = {"WORDS": tinier_files[1], "PLOT": tmp_path / "bounds.png"}
    arguments = [files.get(value, value) for value in arguments]
    done = run(f"benchmarks.{name}", *arguments)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_a_benchmark_refuses_bad_input_in_one_line(capsys):
    assert_refused(
        run_main(prior, capsys, "--run", "missing"), "prior.py", "missing: not the folder"
    )
    assert_refused(
        run_main(hosts, capsys, "--lengths", 30, "--agents"), "hosts.py", "30 to 30 letters"
    )
