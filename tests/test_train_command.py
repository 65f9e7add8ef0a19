"""train.py as a process: its output, stopping, killing and resuming."""

import json
import signal
import sys
import time
from functools import partial

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import hangman_lab
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.training.checkpoint import load_checkpoint
from hangman_lab.training.command_line import main
from tests.processes import assert_refused, run, run_main, start

# Long enough to be caught in the middle of PPO.
LONGER = ("--set", "learner.steps=16_384", "--set", "validation.every=4_096")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, tinier_files):
    """An uninterrupted run: (folder, the finished process)."""
    config, words = tinier_files
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = run("train.py", "--config", config, "--words", words, "--run-dir", folder, *LONGER)
    assert done.returncode == 0, done.stderr
    return folder, done


@pytest.fixture
def command(capsys):
    """Run the command in this process."""
    return partial(run_main, main, capsys)


def wait_for(process, checkpoint, phase, step):
    """Wait for the fit of the posterior to begin, or for a checkpoint of PPO after ``step``."""
    if phase == "created":
        fits = (line.startswith("posterior: nine tenths: n-grams") for line in process.stdout)
        assert any(fits), f"it ended before it fitted: {process.stderr.read()}"
        return
    while process.poll() is None:
        time.sleep(0.02)
        if checkpoint.exists():
            written, state = load_checkpoint(checkpoint)
            if written == "ppo" and state.get("step", 0) > step:
                return
    pytest.fail(f"it ended before PPO: {process.communicate()}")


def curve(folder, tag):
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(tag)]


@pytest.mark.slow
def test_a_run_stopped_four_times_ends_with_the_same_weights(
    command, tinier_files, tmp_path, whole
):
    config, words = tinier_files
    folder = tmp_path / "a rather long name of a folder, so that lines would be wrapped" / "run"
    arguments = ("--config", config, "--words", words, "--run-dir", folder, *LONGER)
    step = 0
    signals = (signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL)
    for phase, sent in zip(("created", "created", "ppo", "ppo"), signals, strict=True):
        process = start("train.py", *arguments)
        wait_for(process, folder / "checkpoint.pt", phase, step)
        process.send_signal(sent)
        output, errors = process.communicate()
        if sent == signal.SIGKILL:
            assert process.returncode == -sent
        else:
            assert process.returncode == 130, errors
            assert "Traceback" not in errors
            assert f"python train.py --resume {folder}\n" in output.replace("'", "")
        written, state = load_checkpoint(folder / "checkpoint.pt")
        assert written == phase
        step = state.get("step", 0)
        assert not (folder / "evaluation.json").exists()
        arguments = ("--resume", folder)
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    for name in ("posterior", "held_back_posterior", "policy"):
        ours, theirs = (path / f"{name}.safetensors" for path in (folder, whole[0]))
        assert ours.read_bytes() == theirs.read_bytes(), name
    assert (folder / "evaluation.json").exists()
    assert not list(folder.glob(".*.tmp"))
    # TensorBoard continues the same curves: no point is missing or repeated.
    for tag in ("eval/win_rate", "train/approx_kl", "rollout/ep_rew_mean"):
        assert curve(folder, tag) == curve(whole[0], tag)


@pytest.mark.slow
def test_it_prints_the_folder_and_the_next_commands(whole, tinier_files):
    folder, done = whole
    assert f"words from {tinier_files[1]} (dropped: none)" in done.stdout
    # A table of unseen words, one of known ones, and one that excludes known words.
    words = " ".join(done.stdout.split())
    for said in ("unseen test words of", "known train words of", "prior of known words 0,"):
        assert said in words
    assert f"results are in {folder}\n" in done.stdout
    assert f"tensorboard.main --logdir {folder.parent}" in done.stdout
    # The final games were of the test words.
    assert f"evaluate.py --run {folder} --split valid" in done.stdout
    assert done.stderr == ""
    assert "--config" in (folder / "command.txt").read_text()


@pytest.mark.slow
def test_a_short_list_is_trained_on(command, real_words, tinier_files, tmp_path):
    # A name with characters that mean something to YAML and to rich.
    words, folder = tmp_path / "my words #2: [a].txt", tmp_path / "run"
    words.write_text("\n".join(real_words[:30]))
    arguments = ("--config", tinier_files[0], "--words", words, "--run-dir", folder)
    done = command(*arguments, "--set", "learner.steps=1_024")
    assert (done.returncode, done.stderr) == (0, "")
    agents = json.loads((folder / "evaluation.json").read_text())["tables"]["known"]["agents"]
    # Whoever knows so few words recognises them.
    assert agents["posterior"]["win_rate"] > agents["random"]["win_rate"] + 0.5


@pytest.mark.slow
def test_a_policy_that_diverges_ends_the_run_in_one_line(command, tinier_files, tmp_path):
    config, words = tinier_files
    arguments = ("--config", config, "--words", words, "--run-dir", tmp_path / "run")
    done = command(*arguments, "--set", "learner.learning_rate=1e30")
    assert_refused(done, "train.py", "the weights of the policy became infinite", "learning_rate")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--words", "two.txt"], ["two.txt", "no valid word", "among its 2 words"]),
        (["--set", "split.fractions=[0.9,0.1,0.0]"], ["no test word"]),
        (["--config", "missing.yaml"], ["missing.yaml", "smoke.yaml"]),
        (["--resume", "missing", "--seed", "0"], ["--seed"]),
        (["--seed", "1", "--set", "seed=2"], ["--seed: --set has another seed"]),
        (["--run-dir", "/"], ["/: cannot create folder"]),
        (["--from", "missing"], ["--from missing: unknown key 'learner.play'", "look_ahead_lives"]),
    ],
    ids=lambda value: " ".join(value) if value and value[0].startswith("--") else "",
)
def test_bad_input_is_one_line_and_status_2(command, tmp_path, arguments, said, monkeypatch):
    (tmp_path / "two.txt").write_text("cat\ndog\n")
    monkeypatch.chdir(tmp_path)
    done = command(*(() if "--resume" in arguments else ("--run-dir", "run")), *arguments)
    assert_refused(done, "train.py", *said)
    assert not (tmp_path / "run").exists()


def test_sigterm_is_ctrl_c(command, monkeypatch):
    """From its start on, and in the final games, where a run handles no signal itself."""

    def train(*_):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("hangman_lab.training.command_line._train", train)
    before = signal.getsignal(signal.SIGTERM)
    try:
        done = command()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (done.returncode, done.stderr) == (130, "train.py: stopped\n")


def test_a_finished_run_is_not_resumed_but_played(command, tmp_path):
    finished = RunDirectory.create(Config(), tmp_path / "run")
    finished.write_evaluation({})
    done = command("--resume", finished.path)
    assert_refused(done, "train.py", "the run is finished", f"evaluate.py --run {finished.path}")


def test_a_renamed_script_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mytrain.py"])
    with pytest.raises(SystemExit, match=r"^mytrain\.py: error: not a command; there are train, "):
        hangman_lab.main()


def test_ctrl_c_while_packages_load_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "pandas.py").write_text("raise KeyboardInterrupt")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = run("evaluate.py", "--help")
    assert (done.returncode, done.stderr) == (130, "evaluate.py: stopped\n")
