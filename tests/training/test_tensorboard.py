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
    log.validation(played, agent, 6, step=100)
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
    logger.dump(8)
    log.close()
    assert json.loads(run.curves.read_text()) == {"step": 8, "train/loss": 0.5}
