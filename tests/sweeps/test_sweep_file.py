import pytest

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import SWEEP_DIRECTORY, find_config, load_config
from hangman_lab.run_files.options import dump_config
from hangman_lab.sweeps.sweep_file import load_sweep, read_sweep


def test_a_trial_is_the_base_recipe_with_the_options_of_its_point_and_a_seed(
    write_sweep, base_recipe, few_hundred_words
):
    path = write_sweep(set={"threads": 1, "discount": 0.9, "seed": 3})
    sweep = load_sweep(path, ["learner.num_envs=32", "sweep.seeds=3"], words=str(few_hundred_words))
    assert sweep.config.num_trials == 6
    overrides = f"""
        discount=0.9 learner.num_envs=32 learner.learning_rate=0.01 seed=5 name=tiny
        final_split=valid words={few_hundred_words}
    """
    point = {"learner.learning_rate": 0.01}
    assert sweep.trial_config(point, 2) == load_config(base_recipe, overrides.split())
    # The recipe of the best point plays the base's own final words.
    assert sweep.recipe(point).final_split == "test"


def test_a_written_sweep_is_read_back_unless_its_words_have_changed(
    write_sweep, tmp_path, monkeypatch
):
    words, written = tmp_path / "words.txt", tmp_path / "sweep.yaml"
    words.write_text("\n".join(ALPHABET))
    monkeypatch.chdir(tmp_path)
    space = {"learner.epochs": {"grid_search": [1, 2]}, "discount": {"uniform": [0.1, 0.3]}}
    for given in ({"words": "words.txt"}, {"overrides": ["words=words.txt"]}, {}):
        changes = {} if given else {"set": {"words": "words.txt"}}
        sweep = load_sweep(write_sweep(samples=3, space=space, **changes), **given)
        assert sweep.config.num_trials == 12
        # Found from any folder.
        assert sweep.base.words == str(words)
        written.write_text(dump_config(sweep))
        assert read_sweep(written) == sweep
    words.write_text("zyzzyva\n")
    with pytest.raises(InputError, match="the word list has changed since the sweep started"):
        read_sweep(written)


def test_each_value_and_bound_is_validated_once(make_sweep):
    """Not in each combination with all others, of which there are millions."""
    space = {
        "learner.epochs": {"randint": [1, 4]},
        "learner.learning_rate": {"loguniform": [1e-4, 1e-2]},
        "reward.name": {"grid_search": ["sparse", "dense", "potential"]},
        "split.fractions": {"choice": [[0.9, 0.05, 0.05], [0.8, 0.1, 0.1]]},
        "learner.known": {"choice": [number / 1000 for number in range(1001)]},
        "discount": {"choice": [number / 1000 for number in range(1001)]},
    }
    variants = list(make_sweep(space=space).variants())
    assert len(variants) == 1 + 1 + 1 + 2 + 1 + 1000 + 1000
    # As in Tune, the upper end of whole numbers is excluded.
    assert {config.learner.epochs for config in variants} == {1, 3}
    assert {config.learner.learning_rate for config in variants} == {1e-4, 1e-2}
    assert {config.reward.name for config in variants} == {"sparse", "dense", "potential"}


def test_the_sweeps_in_configs_are_valid():
    names = [path.name for path in SWEEP_DIRECTORY.glob("*.yaml")]
    assert "ppo.yaml" in names
    for name in names:
        assert load_sweep(find_config(name, "sweep")).config.num_trials >= 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"overrides": ["sweep.foo=1"]}, "--set sweep.foo=1: unknown key 'foo'"),
        ({"overrides": ["lerner.steps=1"]}, "--set lerner.steps=1: unknown key 'lerner'"),
        ({"name": ".."}, "--name ..: name: '..' is not allowed"),
    ],
)
def test_what_was_typed_is_named_and_not_the_recipe(write_sweep, few_hundred_words, given, said):
    with pytest.raises(InputError, match=rf"^(\S*tiny.yaml: )?{said}"):
        load_sweep(write_sweep(), words=str(few_hundred_words), **given)


EPOCHS = "learner.epochs"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"spacee": {}}, ["unknown key 'spacee'", "space"]),
        ({"space": {EPOCHS: {"grid_search": [1, -1]}}}, [EPOCHS, "-1 is not allowed"]),
        ({"space": {EPOCHS: {"uniform": [1, 3]}}}, [EPOCHS, "1.0 is not allowed"]),
        ({"space": {EPOCHS: {"normal": [0, 1]}}}, [f"space.{EPOCHS}.normal", "'grid_search'"]),
        ({"space": {EPOCHS: {}}}, [f"space.{EPOCHS}: {{}} is not allowed"]),
        ({"space": {EPOCHS: {"grid_search": []}}}, ["grid_search: [] is not allowed"]),
        ({"space": {EPOCHS: {"uniform": [2, 2]}}}, ["low first"]),
        ({"space": {EPOCHS: {"loguniform": [0, 1]}}}, ["above 0"]),
        ({"space": {"discount": {"uniform": [0, 10**400]}}}, ["two numbers"]),
        ({"set": {"seed": 2**31 - 1}}, ["seeds: seed: 2147483648", "less than 2147483648"]),
        ({"space": {EPOCHS: {"randint": [1.5, 2.5]}}}, ["two whole numbers"]),
        ({"space": {"env.min_length": {"choice": [1, 30]}}}, ["no train word of 30 to 32 letters"]),
        ({"space": {"seed": {"grid_search": [1]}}}, ["seed", "set by the sweep"]),
        ({"set": {"final_split": "test"}}, ["final_split", "set by the sweep"]),
        ({"samples": 3}, ["samples: 3", "nothing to draw"]),
        ({"seeds": 10**12}, ["trials are more than 10,000"]),
        ({"storage": "s3://bucket"}, ["storage", "s3://bucket", "folder"]),
        ({"storage": "a\0b"}, ["storage", "'a\\x00b' is not allowed"]),
    ],
    ids=str,
)
def test_invalid_sweeps_are_refused_before_the_start(write_sweep, few_hundred_words, changes, said):
    with pytest.raises(InputError) as refusal:
        load_sweep(write_sweep(**changes), words=str(few_hundred_words))
    for part in said:
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)
