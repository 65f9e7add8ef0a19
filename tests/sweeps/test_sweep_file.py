import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import SWEEP_DIRECTORY, find_config, load_config
from hangman_lab.sweeps.sweep_file import load_sweep, parse_sweep


def test_a_trial_is_the_base_recipe_with_the_options_of_its_point_and_a_seed(
    write_sweep, base_recipe, few_hundred_words
):
    path = write_sweep(set={"threads": 1, "discount": 0.9})
    sweep = load_sweep(path, ["ppo.num_envs=32", "sweep.seeds=3"], words=str(few_hundred_words))
    assert sweep.num_trials == 6
    overrides = [
        *("discount=0.9", "ppo.num_envs=32", "ppo.learning_rate=0.01", "seed=2", "name=tiny"),
        *("final_split=valid", f"words={few_hundred_words}"),
    ]
    point = {"ppo.learning_rate": 0.01}
    assert sweep.trial_config(point, 2) == load_config(base_recipe, overrides)
    # The recipe of the best point plays the base's own final words.
    assert sweep.recipe(point).final_split == "test"


def test_a_sweep_survives_a_round_trip(make_sweep, few_hundred_words):
    space = {"ppo.epochs": {"grid_search": [1, 2]}, "ppo.gae_lambda": {"uniform": [0.1, 0.3]}}
    sweep = make_sweep(samples=3, space=space, asha={"grace_steps": 512})
    assert parse_sweep(sweep.dump()) == sweep
    assert sweep.num_trials == 12
    before = few_hundred_words.read_text()
    few_hundred_words.write_text(before + "zyzzyva\n")
    try:
        with pytest.raises(InputError, match="the word list has changed since the sweep started"):
            parse_sweep(sweep.dump())
    finally:
        few_hundred_words.write_text(before)


def test_corners_combine_all_listed_values_and_bounds(make_sweep):
    space = {
        "ppo.epochs": {"randint": [1, 4]},
        "reward.name": {"grid_search": ["sparse", "dense", "potential"]},
        "ppo.learning_rate": {"loguniform": [1e-4, 1e-2]},
        "split.fractions": {"choice": [[0.9, 0.05, 0.05], [0.8, 0.1, 0.1]]},
    }
    sweep = make_sweep(space=space)
    assert len(list(sweep.corners())) == 2 * 3 * 2 * 2
    # As in Tune, the upper end of whole numbers is excluded.
    assert {corner["ppo.epochs"] for corner in sweep.corners()} == {1, 3}


def test_the_sweeps_in_configs_are_valid():
    names = {path.name for path in SWEEP_DIRECTORY.glob("*.yaml")}
    assert names == {"ppo.yaml", "rewards.yaml", "smoke.yaml", "stock.yaml"}
    for name in names:
        assert load_sweep(find_config(name, "sweep")).num_trials >= 4


EPOCHS = "ppo.epochs"
FLOATS = {"ppo.gae_lambda": {"uniform": [0.1, 0.2]}}
LISTS = {"split.fractions": {"choice": [[0.5]]}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"spacee": {}}, ["unknown key 'spacee'", "space"]),
        ({"seeds": 0}, ["seeds", "greater than or equal to 1"]),
        ({"space": {"ppo.epoch": {"grid_search": [1]}}}, ["ppo.epoch", "unknown key", "epochs"]),
        ({"space": {EPOCHS: {"grid_search": [1, -1]}}}, [EPOCHS, "-1 is not allowed"]),
        ({"space": {EPOCHS: {"grid_search": ["many"]}}}, [EPOCHS, "'many'"]),
        ({"space": {EPOCHS: {"uniform": [1, 3]}}}, [EPOCHS, "1.0 is not allowed"]),
        ({"space": {EPOCHS: {"normal": [0, 1]}}}, [f"space.{EPOCHS}", "one of grid_search"]),
        ({"space": {EPOCHS: {"grid_search": [1], "choice": [1]}}}, ["one of grid_search, choice"]),
        ({"space": {EPOCHS: [1, 2]}}, [f"space.{EPOCHS}", "dictionary"]),
        ({"space": {EPOCHS: {"grid_search": []}}}, ["grid_search has no value"]),
        ({"space": {EPOCHS: {"choice": [1, 1]}}}, ["the same value twice"]),
        ({"space": {EPOCHS: {"uniform": [2, 1]}}}, ["low first"]),
        ({"space": {EPOCHS: {"uniform": [1, 2, 3]}}}, ["low first"]),
        ({"space": {EPOCHS: {"uniform": [False, True]}}}, ["low first"]),
        ({"space": {EPOCHS: {"loguniform": [0, 1]}}}, ["above 0"]),
        ({"space": {EPOCHS: {"randint": [1.5, 2.5]}}}, ["two whole numbers"]),
        ({"space": {"ppo.batch_size": {"grid_search": [10**6]}}}, ["above a rollout's"]),
        ({"space": {"reward.parameters.x": {"grid_search": [1.0]}}}, ["reward.parameters", "'x'"]),
        ({"space": {"seed": {"grid_search": [1]}}}, ["seed", "a sweep sets this itself"]),
        ({"set": {"final_split": "test"}}, ["final_split", "a sweep sets this itself"]),
        ({"set": {EPOCHS: -1}}, [EPOCHS, "-1 is not allowed"]),
        ({"base": "missing.yaml"}, ["missing.yaml", "smoke.yaml"]),
        ({"samples": 3}, ["samples: 3", "nothing to draw"]),
        ({"searcher": "tpe"}, ["tpe", "choice instead of grid_search"]),
        ({"searcher": "tpe", "space": LISTS}, ["numbers, texts"]),
        (
            {"searcher": "tpe", "space": FLOATS, "asha": {"grace_steps": 512}},
            ["asha", "seeds: 1", "do not go together"],
        ),
        ({"searcher": "bayes"}, ["searcher", "'random' or 'tpe'"]),
        ({"asha": {}}, ["asha.grace_steps"]),
        ({"asha": {"grace_steps": 10**6}}, ["asha.grace_steps", "ppo.steps"]),
    ],
    ids=str,
)
def test_invalid_sweeps_are_refused_before_the_start(write_sweep, changes, said):
    with pytest.raises(InputError) as refusal:
        load_sweep(write_sweep(**changes))
    for part in said:
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)
