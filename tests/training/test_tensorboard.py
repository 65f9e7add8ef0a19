"""The TensorBoard log."""

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hangman_lab.agents.ppo.agent import PPOAgent
from hangman_lab.agents.ppo.network import PolicyNetwork
from hangman_lab.envs.errors import InputError
from hangman_lab.evaluation.arena import play
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.training.tensorboard import TrainingLog
from tests.agents.games import observe
from tests.agents.posterior.priors import posterior_of

WORDS = ("apple", "jazz", "zebra", "quiz", "banana", "rhythm", "onion")


@pytest.fixture(scope="module")
def agent():
    return PPOAgent(posterior_of(), PolicyNetwork())


@pytest.fixture(scope="module")
def played(agent):
    return play(agent, WORDS)


@pytest.fixture(scope="module")
def events(agent, played, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    log = TrainingLog(RunDirectory(folder))
    log.baselines = {"dictionary": 0.25, "random": 0.0}
    log.validation(played, agent, 6, 100)
    log.validation(played, agent, 6, 200)
    log.close()
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    accumulator.Reload()
    return accumulator


def values(events, tag):
    return [(scalar.step, scalar.value) for scalar in events.Scalars(tag)]


def test_baselines_are_constant_curves_beside_the_win_rates(events):
    assert values(events, "baselines/dictionary") == [(100, 0.25), (200, 0.25)]
    assert [step for step, _ in values(events, "valid/win_rate")] == [100, 200]


def test_sample_games_have_the_five_top_letters_of_the_policy(events, agent, played):
    text = events.Tensors("valid/sample_games/text_summary")[0].tensor_proto.string_val[0].decode()
    lines = [line for line in text.splitlines() if "guess " in line]
    assert len(lines) == played["guesses"].head(5).sum()
    choices = agent.choice_probabilities(observe(WORDS[0], "", max_wrong=6))[0]
    assert choices.sum() == pytest.approx(1)
    top = np.argsort(-choices)[:5]
    shown = lines[0].split("(")[1].rstrip(")").split(", ")
    assert [cell[0] for cell in shown] == [chr(ord("a") + letter) for letter in top]
    assert shown[0].split()[1].startswith(f"{choices[top[0]]:.0%}/")


def test_curves_have_a_row_per_step_and_drop_points_after_a_checkpoint(tmp_path):
    run = RunDirectory(tmp_path)
    with pytest.raises(InputError, match="no learning curve"):
        run.read_curves()
    log = TrainingLog(run)
    log.scalars({"valid/win_rate": 0.1}, 0)
    log.logger().dump(8)
    log.scalars({"valid/win_rate": 0.25, "train/loss": np.nan}, 8)
    log.scalars({"valid/known_win_rate": 0.5}, 8)
    log.scalars({"valid/win_rate": 0.75}, 16)
    log.close()
    with run.curves.open("a") as file:
        file.write('{"step": 24, "valid/win')
    assert run.read_curves()["valid/win_rate"].tolist() == [0.1, 0.25, 0.75]
    log = TrainingLog(run, first_step=9)
    log.scalars({"valid/win_rate": 1.0}, 16)
    curves = run.read_curves()
    log.close()
    assert curves["step"].tolist() == [0, 8, 16]
    assert curves["valid/win_rate"].tolist() == [0.1, 0.25, 1.0]
    assert curves["valid/known_win_rate"].dropna().tolist() == [0.5]
    run.curves.write_text("junk\n")
    with pytest.raises(InputError, match=r"curves\.jsonl: not readable"):
        run.read_curves()
