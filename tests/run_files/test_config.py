import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import (
    CONFIG_DIRECTORY,
    Config,
    dump_config,
    find_config,
    load_config,
    read_options,
)


@pytest.fixture
def load(tmp_path):
    def load(text="", overrides=()):
        path = tmp_path / "test.yaml"
        path.write_text(text)
        return load_config(path, overrides)

    return load


@pytest.mark.parametrize("path", sorted(CONFIG_DIRECTORY.glob("*.yaml")), ids=lambda p: p.name)
def test_the_configs_of_the_project_are_valid_and_found_by_name(path):
    config = load_config(find_config(path.name))
    assert find_config(str(path)) == path
    assert load_config(path) == config
    # A config begins with its command.
    assert path.name in path.read_text().splitlines()[0]


def test_the_defaults_are_the_default_recipe(load):
    path = CONFIG_DIRECTORY / "ppo.yaml"
    assert load_config(path) == Config()
    # It shows them.
    shown = read_options(path)
    for section in ("posterior", "policy", "ppo", "validation"):
        assert shown[section].keys() == Config().model_dump()[section].keys()


def test_a_written_config_is_read_back(load):
    config = load(
        "seed: 3\nsplit: {fractions: [0.8, 0.1, 0.1]}\nreward: {name: dense, parameters: {hit: 1}}"
    )
    assert load(dump_config(config)) == config
    assert config.split.fractions == [0.8, 0.1, 0.1]
    assert list(yaml.safe_load(dump_config(config))) == list(Config.model_fields)


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("ppo.steps=123", "ppo", "steps", 123),
        ("ppo.learning_rate=1e-3", "ppo", "learning_rate", 0.001),
        ("ppo.steps=1e5", "ppo", "steps", 100_000),
        ("posterior.enabled=false", "posterior", "enabled", False),
        ("reward.name=potential", "reward", "name", "potential"),
        ("split.fractions=[0.5, 0.25, 0.25]", "split", "fractions", [0.5, 0.25, 0.25]),
    ],
)
def test_an_override_sets_one_value(load, override, section, key, value):
    assert getattr(getattr(load("", [override]), section), key) == value


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("colour=red", ["'colour'", "posterior", "final_split"]),
        ("ppo.stepz=1", ["'ppo.stepz'", "rollout_steps"]),
        ("env.max_wrong=27", ["env.max_wrong", "27", "less than or equal to 26"]),
        ("reward.name=kind", ["reward.name", "'kind'", "'sparse', 'dense' or 'potential'"]),
        ("ppo.learning_rate=.nan", ["ppo.learning_rate", "nan", "finite"]),
        ("ppo=3", ["ppo", "3", "dictionary"]),
        ("algorithm=a2c", ["algorithm", "'a2c'", "'ppo', 'sb3-ppo', 'sb3-dqn' or"]),
        ("name=a/b", ["name", "'a/b'", "pattern"]),
        ("reward.parameters={hit: much}", ["reward.parameters.hit", "'much'", "number"]),
        ("ppo.batch_size=99999999", ["ppo.batch_size", "99999999", "rollout"]),
    ],
)
def test_a_wrong_key_or_value_is_named_with_what_is_allowed(load, override, said):
    with pytest.raises(InputError) as caught:
        load("", [override])
    message = str(caught.value)
    assert "\n" not in message
    for part in said:
        assert part in message
    # The same in a file.
    key, _, value = override.partition("=")
    text = value
    for name in reversed(key.split(".")):
        text = f"{{{name}: {text}}}"
    with pytest.raises(InputError) as caught:
        load(text)
    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["env.min_length=9", "env.max_length=8"], "env.min_length: 9 is above"),
        (["posterior.enabled=false", "ppo.steps=0"], "ppo.steps"),
        (["algorithm=sb3-dqn"], "posterior.enabled: must be false for sb3-dqn"),
        (
            ["algorithm=sb3-ppo", "posterior.enabled=false", "ppo.epochs=9"],
            "ppo.epochs: not used by sb3-ppo",
        ),
    ],
)
def test_inconsistent_values_are_refused(load, overrides, said):
    with pytest.raises(InputError, match=said) as caught:
        load("", overrides)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("override", ["steps", "=3", "ppo.steps={", "seed.sub=1", ""])
def test_a_malformed_override_is_refused(load, override):
    with pytest.raises(InputError, match="--set") as caught:
        load("seed: 1", [override])
    assert "\n" not in str(caught.value)


# YAML cannot run code.
CODE = "name: !!python/object/apply:os.getcwd []"


@pytest.mark.parametrize("text", ["{", "- a\n- b", "just text", "a: b: c", "\x00", CODE])
def test_a_file_without_a_mapping_is_refused_in_one_line(load, text):
    with pytest.raises(InputError, match=r"test\.yaml") as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_config_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"'missing\.yaml'.*ppo\.yaml.*smoke\.yaml"):
        find_config("missing.yaml")


@given(st.text(max_size=30))
def test_any_override_is_applied_or_refused(text):
    message = ""
    try:
        load_config(CONFIG_DIRECTORY / "smoke.yaml", [text])
    except InputError as error:
        message = str(error)
    assert "\n" not in message
