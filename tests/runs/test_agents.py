import pytest

from agents import DictionaryAgent
from envs.errors import InputError
from runs.agents import find_run, load_run_agent
from runs.config import Config
from runs.directory import PRETRAINED, RunDirectory
from tests.agents.posterior.priors import posterior_of


def test_the_pretrained_run_stands_in_where_none_is_named_and_one_is_needed(tmp_path):
    assert find_run(None, ["dictionary", "random"]) is None
    assert find_run(None, ["dictionary", "posterior"]).path == PRETRAINED
    named = RunDirectory.create(Config(), tmp_path / "run")
    assert find_run(named.path, ["random"]).path == named.path
    with pytest.raises(InputError, match="not the folder of a run"):
        find_run(tmp_path, [])


def test_learned_agents_are_read_from_the_run_and_others_fitted(tmp_path):
    run = RunDirectory.create(Config(), tmp_path / "run")
    posterior_of(("bead", "cab", "fed")).save(run.posterior)
    assert load_run_agent("posterior", run, ["cat"]).prior.num_known == 3
    assert load_run_agent("posterior", run, ["cat"], known=0.25).prior.known == 0.25
    assert isinstance(load_run_agent("dictionary", None, ["cat"]), DictionaryAgent)
