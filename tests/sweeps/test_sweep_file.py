import pytest
import yaml

from envs.errors import InputError
from runs.config import SWEEP_DIRECTORY, find_config, load_config
from sweeps.sweep_file import load_sweep


@pytest.fixture
def write(tmp_path, base_recipe):
    def write(**values):
        path = tmp_path / "sweep.yaml"
        described = {
            "name": "tiny",
            "base": str(base_recipe),
            "space": {"ppo.epochs": {"grid": [1, 2]}},
        }
        path.write_text(yaml.safe_dump(described | values))
        return path

    return write


def test_a_trial_is_the_base_recipe_with_the_options_of_its_point_and_a_seed(
    write, base_recipe, few_hundred_words
):
    sweep = load_sweep(
        write(seeds=2, set={"threads": 1, "discount": 0.9}),
        ["ppo.num_envs=32"],
        words=str(few_hundred_words),
    )
    assert sweep.num_trials == 4
    trials = sweep.trials_of(1, sweep.points[1])
    expected = load_config(
        base_recipe,
        [
            "discount=0.9",
            "ppo.num_envs=32",
            "ppo.epochs=2",
            "seed=1",
            "name=tiny",
            "final_split=valid",
            f"words={few_hundred_words}",
        ],
    )
    assert [trial.name for trial in trials] == ["point_001_seed_0", "point_001_seed_1"]
    assert trials[1].config == expected


def test_trials_play_valid_words_and_the_best_config_those_of_the_base(write):
    sweep = load_sweep(write())
    assert sweep.base.final_split == "test"
    assert all(trial.config.final_split == "valid" for trial in sweep.trials_of(0, sweep.points[0]))
    assert sweep.recipe(sweep.points[0]).final_split == "test"


def test_what_a_sweep_writes_is_the_same_sweep(write, tmp_path, few_hundred_words):
    path = write(
        seeds=2,
        trials=8,
        set={"discount": 0.9},
        space={"ppo.epochs": {"grid": [1, 2]}, "ppo.gae_lambda": {"uniform": [0.1, 0.3]}},
    )
    sweep = load_sweep(path, ["ppo.num_envs=32"], words=str(few_hundred_words), name="other")
    folder = tmp_path / "folder"
    folder.mkdir()
    sweep.write(folder)
    again = load_sweep(
        folder / "sweep.yaml", base=folder / "base.yaml", words_copy=folder / "words.txt"
    )
    assert again.word_list == sweep.word_list
    assert again.config.name == "other"
    for number, options in enumerate(sweep.points):
        assert again.trials_of(number, options) == sweep.trials_of(number, options)


def test_ready_sweeps_can_be_run():
    names = {path.name for path in SWEEP_DIRECTORY.glob("*.yaml")}
    assert names == {"ppo.yaml", "rewards.yaml", "smoke.yaml"}
    for name in names:
        assert load_sweep(find_config(name, "sweep")).num_trials >= 4


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"spacee": {}}, ["unknown key 'spacee'", "space"]),
        ({"seeds": 0}, ["seeds", "greater than or equal to 1"]),
        ({"space": {"ppo.epoch": {"grid": [1]}}}, ["ppo.epoch", "unknown key", "epochs"]),
        ({"space": {"ppo.epochs": {"grid": [1, 0]}}}, ["ppo.epochs", "0 is not allowed"]),
        ({"space": {"ppo.epochs": {"grid": ["many"]}}}, ["ppo.epochs", "'many'"]),
        ({"space": {"ppo.batch_size": {"grid": [10**6]}}}, ["ppo.batch_size", "above a rollout's"]),
        ({"space": {"reward.parameters.x": {"grid": [1.0]}}}, ["reward.parameters", "'x'"]),
        ({"space": {"seed": {"grid": [1]}}}, ["seed", "a sweep sets this itself"]),
        ({"set": {"final_split": "test"}}, ["final_split", "a sweep sets this itself"]),
        ({"space": {"ppo": {"grid": [{}]}, "ppo.epochs": {"grid": [1]}}}, ["is a section"]),
        ({"set": {"ppo.epochs": 0}}, ["ppo.epochs", "0 is not allowed"]),
        ({"base": "missing.yaml"}, ["missing.yaml", "smoke.yaml"]),
        ({"trials": 3}, ["trials: 3", "2 points"]),
        ({"space": {"ppo.gae_lambda": {"uniform": [0.1, 0.2]}}}, ["trials", "a budget is needed"]),
        (
            {"space": {"ppo.gae_lambda": {"uniform": [0.1, 0.2]}}, "trials": 3, "seeds": 2},
            ["trials: 3", "not a multiple of 2"],
        ),
        ({"searcher": "tpe", "trials": 2}, ["tpe", "choice instead of grid"]),
        ({"searcher": "bayes"}, ["searcher", "'random' or 'tpe'"]),
        ({"scheduler": "asha"}, ["scheduler", "grace_steps"]),
        ({"asha": {"grace_steps": 100}}, ["asha", "not none"]),
        ({"scheduler": "asha", "asha": {"grace_steps": 10**6}}, ["asha.grace_steps", "ppo.steps"]),
    ],
    ids=str,
)
def test_bad_sweeps_are_refused_before_anything_starts(write, values, said):
    with pytest.raises(InputError) as refusal:
        load_sweep(write(**values))
    for part in said:
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_options_of_the_sweep_can_be_set_too(write):
    assert load_sweep(write(), ["sweep.seeds=3"]).num_trials == 6
    with pytest.raises(InputError, match="unknown key 'seedz'"):
        load_sweep(write(), ["sweep.seedz=3"])


def test_an_unknown_sweep_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"missing\.yaml.*smoke\.yaml"):
        find_config("missing.yaml", "sweep")
