"""The TensorBoard log and ``curves.jsonl``."""

import json

import numpy as np
import pytest
from stable_baselines3.common.logger import Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hangman_lab.agents.ppo.agent import PPOAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.training.networks import PolicyModule
from hangman_lab.training.tensorboard import TrainingLog
from tests.agents.games import observe
from tests.agents.posterior.priors import posterior_of


def test_validations_have_sample_games_with_the_policys_letters(tmp_path):
    words = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion")
    agent = PPOAgent(posterior_of(), PolicyModule().to_numpy())
    played = play(agent, words)
    log = TrainingLog(RunDirectory(tmp_path))
    log.validation(played, agent, Rules(), step=100)
    log.close()
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0})
    events.Reload()
    (sample,) = events.Tensors("eval/sample_games/text_summary")
    (text,) = sample.tensor_proto.string_val
    lines = [line for line in text.decode().splitlines() if "guess " in line]
    assert len(lines) == played["guesses"].head(5).sum()
    choices = agent.choice_probabilities(observe(words[0], "", max_wrong=6))[0]
    top = [f"{chr(97 + letter)} {choices[letter]:.0%}" for letter in np.argsort(-choices)[:5]]
    first = played["letters"][0][0]
    assert lines[0].split() == [*"_____", "guess", first, *f"({', '.join(top)})".split()]
    assert lines[1].split()[:5] == [letter if letter == first else "_" for letter in words[0]]


def test_curves_have_finite_numbers_alone(tmp_path):
    run = RunDirectory(tmp_path)
    with pytest.raises(InputError, match="no learning curve"):
        run.read_curves()
    log = TrainingLog(run)
    logger = Logger(folder=None, output_formats=[log])
    logger.record("train/loss", np.float32(0.5))
    logger.record("train/explained_variance", np.nan)
    logger.record("train/text", "not a number")
    logger.record("time/iterations", 1, exclude="tensorboard")
    logger.dump(8)
    log.close()
    assert json.loads(run.curves.read_text()) == {"step": 8, "train/loss": 0.5}


@pytest.mark.parametrize("is_sized", [True, False])
def test_points_after_the_checkpoint_are_dropped_when_resumed(tmp_path, is_sized):
    run, folders = RunDirectory(tmp_path), (tmp_path, tmp_path / "baselines" / "random")

    def log_steps(log, *steps):
        for step in steps:
            log.scalars({"eval/win_rate": step / 10}, step)
            log.baselines({"random": step / 100}, step)

    log = TrainingLog(run)
    log_steps(log, 1, 2)
    size = log.flush()
    log_steps(log, 3, 4)
    log.close()
    with open(run.curves, "a") as curves:
        curves.write('{"step": 5, "eval/win')
    # Two files of a second would be read by their numbers as text.
    for folder in folders:
        (events,) = folder.glob("events*")
        events.rename(folder / "events.out.tfevents.0")
    # Earlier versions have not recorded the size, and the same points follow.
    log = TrainingLog(run, first_step=3, size=size if is_sized else None)
    log_steps(log, 3)
    log.close()
    for folder in folders:
        events = EventAccumulator(str(folder)).Reload()
        assert [point.step for point in events.Scalars("eval/win_rate")] == [1, 2, 3]
    steps = [json.loads(line)["step"] for line in run.curves.read_text().splitlines()[::2]]
    assert steps == ([1, 2, 3] if is_sized else [1, 2, 3, 4, 3])
    curves = run.read_curves().set_index("step")["eval/win_rate"]
    assert curves.to_dict() == {step: step / 10 for step in steps}
