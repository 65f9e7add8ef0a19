"""The TensorBoard log and ``curves.jsonl``."""

import json

import numpy as np
import pytest
from stable_baselines3.common.logger import Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hangman_lab.agents.ppo.agent import PPOAgent
from hangman_lab.envs.errors import InputError
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
    for step in (100, 200):
        assert log.validation(played, agent, 6, step) == played.won.mean()
    log.close()
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0})
    events.Reload()
    assert [point.step for point in events.Scalars("eval/win_rate")] == [100, 200]
    (text,) = events.Tensors("eval/sample_games/text_summary")[0].tensor_proto.string_val
    lines = [line for line in text.decode().splitlines() if "guess " in line]
    assert len(lines) == played["guesses"].head(5).sum()
    choices = agent.choice_probabilities(observe(words[0], "", max_wrong=6))[0]
    top = [f"{chr(97 + letter)} {choices[letter]:.0%}" for letter in np.argsort(-choices)[:5]]
    first = played["letters"][0][0]
    assert lines[0].split() == [*"_____", "guess", first, *f"({', '.join(top)})".split()]
    assert lines[1].split()[:5] == [letter if letter == first else "_" for letter in words[0]]


def test_curves_have_a_row_per_step_and_drop_points_after_a_checkpoint(tmp_path):
    run = RunDirectory(tmp_path)
    with pytest.raises(InputError, match="no learning curve"):
        run.read_curves()
    log = TrainingLog(run)
    logger = Logger(folder=None, output_formats=[log])
    log.scalars({"eval/win_rate": 0.1}, 0)
    logger.record("train/loss", np.float32(0.5))
    logger.record("train/text", "not a number")
    logger.dump(8)
    log.scalars({"eval/win_rate": 0.25, "train/explained_variance": np.nan}, 8)
    log.scalars({"eval/win_rate": 0.75}, 16)
    log.close()
    events = [json.loads(line) for line in run.curves.read_text().splitlines()]
    assert events[1:3] == [{"step": 8, "train/loss": 0.5}, {"step": 8, "eval/win_rate": 0.25}]
    with run.curves.open("a") as file:
        file.write('{"step": 24, "eval/win')
    log = TrainingLog(run, first_step=9)
    log.scalars({"eval/win_rate": 1.0}, 16)
    log.close()
    curves = run.read_curves()
    assert curves["step"].tolist() == [0, 8, 16]
    assert curves["eval/win_rate"].tolist() == [0.1, 0.25, 1.0]
    assert curves["train/loss"].dropna().tolist() == [0.5]
