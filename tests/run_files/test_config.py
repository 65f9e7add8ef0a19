import sys
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.rewards import HANGMAN_REWARDS
from hangman_lab.run_files.config import CONFIG_DIRECTORY, Config, find_config, load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.options import dump_config, read_options


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
    for section in ("learner", "validation"):
        assert shown[section].keys() == Config().model_dump()[section].keys()


def test_a_written_config_is_read_back(load, tmp_path):
    config = load(
        "seed: 3\nsplit: {fractions: [0.8, 0.1, 0.1]}\nreward: {name: dense, parameters: {hit: 1}}"
    )
    assert load(dump_config(config)) == config
    (tmp_path / "written.yaml").write_text(dump_config(config))
    assert list(read_options(tmp_path / "written.yaml")) == list(Config.model_fields)
    # Names that YAML would read as something else.
    for name in ("010", "1e5", "no", "8_000", "null", "2001-01-01", "-", ".nan", "0o17", "_1"):
        assert load(dump_config(Config(name=name))).name == name
    for words in ("/a b'c.txt", "/#a: b", "/\N{GRINNING FACE}.txt", "/" + "a b/" * 50 + "c"):
        assert load(dump_config(Config(words=words))).words == words


def test_paths_are_those_of_the_folder_where_they_were_given(load, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from_play = "learner: {kind: from_play, play: {first: runs/first}}"
    config = load(f"words: words.txt\n{from_play}")
    assert config == load(from_play, ["words=words.txt"])
    assert config == load("", ["words=words.txt", *from_play.replace(": ", "=", 1).splitlines()])
    assert config == load(from_play).with_words("words.txt")
    assert config.words == str(tmp_path / "words.txt")
    run = RunDirectory.create(config, tmp_path / "run")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert run.load_config() == config
    assert read_options(run.config)["learner"]["play"]["first"] == str(tmp_path / "runs" / "first")
    for named in ("web2", "common"):
        assert load(f"words: {named}").words == load("").with_words(named).words == named


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("learner.learning_rate", "1e-3", 0.001),
        ("learner.steps", "1e5", 100_000),
        ("learner.steps", "8_000_000", 8_000_000),
        ("split.fractions", "[0.5, 0.25, 0.25]", [0.5, 0.25, 0.25]),
        ("split.seed", "010", 10),
        # Text since YAML 1.2.
        *(("name", text, text) for text in ("no", "y", "_1", "2001-01-01", "0o8")),
        ("words", '"/\\ud83d\\ude00"', "/\N{GRINNING FACE}"),
    ],
)
def test_an_override_sets_one_value(load, key, text, value):
    config = load("learner: {kind: posterior}", [f"{key}={text}"])
    assert attrgetter(key)(config) == value


def test_an_override_of_one_section_leaves_others_with_the_same_alias(load):
    first = "{reward: *shared, learner: {kind: windows}}"
    text = (
        f"reward: &shared {{name: dense}}\nlearner: {{kind: from_play, play: {{first: {first}}}}}"
    )
    config = load(text, ["reward.name=sparse"])
    assert config.reward.name == "sparse"
    assert config.learner.play.first.reward.name == "dense"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        *((text, ["--set", "key.sub=value is expected"]) for text in ("steps", "=3")),
        ("learner.steps={", ["--set 'learner.steps={'", "not readable as YAML"]),
        ("seed.sub=1", ["'seed' is not a section"]),
        ("learner={kind: windows, kind: a}", ["--set", 'duplicate key "kind"']),
        ("env={min_length: 9, max_length: 8}", ["env.min_length: 9 is above env.max_length (8)"]),
        ("colour=red", ["'colour'", "learner", "final_split"]),
        ("env.max_wrong=27", ["env.max_wrong", "27", "less than or equal to 26"]),
        ("reward.name=kind", ["reward.name", "'kind'", str(tuple(HANGMAN_REWARDS))]),
        ("discount=.nan", ["discount", "nan", "finite"]),
        ("learner.kind=window", ["learner.kind", "'window'", "posterior, from_play, windows"]),
        ("learner={steps: 3}", ["learner.kind", "None", "posterior, from_play, windows"]),
        ("learner={kind: posterior, epochs: 0}", ["learner.epochs", "0", "equal to 1"]),
        ("learner={kind: windows, epochs: 0}", ["learner.epochs: 0", "auxiliary_learning_rate"]),
        ("learner={kind: from_play, play: {fist: a}}", ["learner.play.first", "missing"]),
        (
            "learner={kind: from_play, play: {first: {learner: {kind: windows, stepz: 1}}}}",
            ["'learner.play.first.learner.stepz'", "rollout_steps"],
        ),
        ("name=a/b", ["name", "'a/b'", "pattern"]),
        ('words="a\\0b"', ["words", "'a\\x00b'", "pattern"]),
        ('words="\\ud800"', ["words", "'\\ud800'", "unicode"]),
        ("words=''", ["words", "''", "at least 1 character"]),
        ('reward.parameters={"a\\nb": x}', ["reward.parameters.a b", "'x'", "number"]),
        ("learner={kind: posterior, batch_size: 9999}", ["learner.batch_size", "9999", "rollout"]),
    ],
)
def test_a_wrong_key_or_value_is_named_with_what_is_allowed(load, override, said):
    with pytest.raises(InputError) as caught:
        load("seed: 1", [override])
    message = str(caught.value)
    assert "\n" not in message
    for part in said:
        assert part in message


def test_a_wrong_override_is_named_as_it_was_typed_and_not_by_the_file(load):
    overrides = ["learner.kind=posterior", "learner.steps=-1", "seed=2"]
    with pytest.raises(InputError, match=r"^--set learner\.steps=-1: learner\.steps: -1 is not"):
        load("seed: 1", overrides)
    with pytest.raises(InputError, match=r"^--set learner\.kind=x: learner\.kind: 'x' is not"):
        load("seed: 1", ["learner.kind=x"])
    with pytest.raises(InputError, match=r"^--set lerner\.steps=1: unknown key 'lerner'"):
        load("seed: 1", ["lerner.steps=1", "seed=2"])
    with pytest.raises(InputError, match=r"test\.yaml: unknown key 'lerner'"):
        load("lerner: 1", ["learner.kind=posterior", "seed=2"])


OWN = """
from typing import Literal
from hangman_lab.run_files.config import PPOOptions
class Learner:
    class Options(PPOOptions):
        size: Literal[1, 2] = 1
class NoLearner: pass
"""


def test_a_learner_of_ones_own_is_found_beside_its_recipe_but_not_in_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "own_learner.py").write_text(OWN)
    (tmp_path / "broken.py").write_text("raise ValueError")
    (tmp_path / "needs.py").write_text("import missing_package")
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("learner: {kind: own_learner:Learner, size: 2}")
    run = RunDirectory(tmp_path)
    run.config.write_text(recipe.read_text())
    said = r"'own_learner:Learner' is not allowed \(there is no module 'own_learner'.*PYTHONPATH\)$"
    for path in (recipe, run.config):
        with pytest.raises(InputError, match=rf"^{path}: learner\.kind: {said}"):
            load_config(path)
    run.config.unlink()
    config = load_config(recipe)
    assert (config.learner.size, config.learner.epochs) == (2, 4)
    assert config.with_words("common").learner == config.learner
    # From now on, its folder is in Python's path, so that its runs can be read.
    run.config.write_text(dump_config(config))
    assert run.load_config() == config
    for override, said in (
        ("learner.size=3", r"^--set learner\.size=3: learner\.size: 3 is not allowed .*1 or 2"),
        ("learner.sizes=1", r"unknown key 'learner\.sizes'; known here are kind, .*, size$"),
        ("learner.kind=own_learner:NoLearner", "has no subclass NoLearner of .*Learner"),
        ("learner.kind=own_learner:Other", "has no subclass Other of .*Learner"),
        ("learner.kind=not.there:Learner", "there is no module 'not'; add its folder"),
        ("learner.kind=:Learner", r"one of posterior, from_play, windows, or .* module:Class"),
        (f"learner={nested('own_learner:Learner, size: 3')}", r"play\.first\.learner\.size: 3"),
        (f"learner={nested('posterior')}", r"play\.first\.learner: the kind 'posterior'"),
    ):
        with pytest.raises(InputError, match=said):
            load_config(recipe, [override])
    config = load_config(recipe, [f"learner={nested('own_learner:Learner')}"])
    assert config.learner.play.first.learner.size == 1
    for module, cause in (("broken", ValueError), ("needs", ModuleNotFoundError)):
        with pytest.raises(RuntimeError, match=f"{module}:Learner: its module") as caught:
            load_config(recipe, [f"learner.kind={module}:Learner"])
        assert isinstance(caught.value.__cause__, cause)


def nested(learner):
    """Return the section of learning from play after a run with a learner."""
    return f"{{kind: from_play, play: {{first: {{learner: {{kind: {learner}}}}}}}}}"


CODE = "!!python/object/apply:os.getcwd []"
VALUES = ("!!set {a}", "&a [*a]", "!!int a", "!!bool a", "[" * 500, CODE)
TWICE = {
    "learner:\n  kind: windows\n  steps: 1\n  steps: 1": 'line 4: .*"steps"',
    'name: a\nname: "b\\nc"': 'line 2: .*"name"',
}


@pytest.mark.parametrize(
    "text",
    ["{", "- a\n- b", "just text", "\x00", *(f"name: {value}" for value in VALUES), *TWICE],
)
def test_a_file_without_a_mapping_or_with_a_key_twice_is_refused_in_one_line(load, text):
    with pytest.raises(InputError, match=rf"test\.yaml: .*{TWICE.get(text, '')}.*\Z"):
        load(text)


@given(st.text(max_size=30))
def test_any_override_is_applied_or_refused(text):
    message = ""
    try:
        load_config(CONFIG_DIRECTORY / "smoke.yaml", [text])
    except InputError as error:
        message = str(error)
    assert "\n" not in message
