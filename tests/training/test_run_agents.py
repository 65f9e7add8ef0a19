import pytest

from agents import DictionaryAgent
from agents.posterior.mixture import MixturePosterior
from agents.posterior.windows import WindowPosterior
from envs.errors import InputError
from training.config import Config
from training.run_agents import find_run, load_run_agent
from training.run_directory import PRETRAINED, RunDirectory


def test_the_pretrained_run_stands_in_where_none_is_named_and_one_is_needed(tmp_path):
    assert find_run(None, ["dictionary", "random"]) is None
    assert find_run(None, ["dictionary", "posterior"]).path == PRETRAINED
    named = RunDirectory.create(Config(), tmp_path / "run")
    assert find_run(named.path, ["random"]).path == named.path
    with pytest.raises(InputError, match="not the folder of a run"):
        find_run(tmp_path, [])


def test_learned_agents_are_read_from_the_run_and_others_fitted(tmp_path):
    run = RunDirectory.create(Config(), tmp_path / "run")
    MixturePosterior(WindowPosterior(reach=2, rows_log2=10)).save(run.posterior)
    assert load_run_agent("posterior", run, ["cat"]).windows.reach == 2
    assert isinstance(load_run_agent("dictionary", None, ["cat"]), DictionaryAgent)
