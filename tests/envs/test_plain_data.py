"""Specs of environments as plain data, which other libraries store and read again."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
import yaml
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_match import check_environments_match

from hangman_lab.envs import HangmanVecEnv
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.rewards import DenseReward, MistakesReward, PotentialReward

HANGMAN, TEXT, CATS = (
    f"hangman_lab/{name}-v0" for name in ("Hangman", "TextHangman", "CatsAndDogs")
)
WORDS = ["bat", "cat", "tree"]


@pytest.fixture(params=["common", "path", "list"])
def words(request, tmp_path):
    """A list of words in each form that environments take."""
    path = tmp_path / "words.txt"
    path.write_text("\n".join(WORDS))
    return {"common": "common", "path": path, "list": WORDS}[request.param]


@pytest.mark.parametrize(
    ("name", "reward"),
    [
        (HANGMAN, "potential"),
        (HANGMAN, {"name": "dense", "parameters": {"hit": 0.05}}),
        (HANGMAN, PotentialReward(discount=0.9)),
        (TEXT, DenseReward(miss=-0.5)),
        (CATS, MistakesReward()),
        (CATS, {"name": "mistakes"}),
    ],
)
def test_an_environment_is_made_again_from_its_spec(name, reward, words):
    env = gym.make(name, words=words, reward=reward)
    spec = env.spec
    copies = [EnvSpec.from_json(spec.to_json()), pickle.loads(pickle.dumps(spec))]
    plain = yaml.safe_load(yaml.safe_dump(EnvSpec.from_json(spec.to_json()).kwargs))
    for copy in (*map(gym.make, copies), gym.make(name, **plain)):
        check_environments_match(env, copy, num_steps=50)
        assert copy.spec.kwargs == spec.kwargs or list(copy.spec.kwargs["words"]) == WORDS


def test_batches_have_the_same_spec(words):
    options = {"words": words, "reward": DenseReward(hit=0.3)}
    single = gym.make(HANGMAN, **options).spec.kwargs
    batch, sb3 = gym.make_vec(HANGMAN, 2, **options), HangmanVecEnv(2, **options)
    assert single == {name: batch.spec.kwargs[name] for name in options}
    assert single == sb3.get_attr("spec")[0].kwargs
    assert gym.make_vec(EnvSpec.from_json(batch.spec.to_json())).num_envs == 2


def test_a_list_of_words_is_printed_as_its_number_and_first_words(real_words):
    spec = gym.make(HANGMAN, words=np.array(real_words)).spec
    assert f"<{len(real_words):,} words: {', '.join(real_words[:3])}, ...>" in repr(spec)
    assert len(repr(spec)) < 1000
    assert "<1 word: ox>" in repr(gym.make(HANGMAN, words=["ox"]).spec)


@pytest.mark.parametrize(
    ("reward", "said"),
    [
        ({"hit": 0.1}, r"reward: the key: 'hit' is not one of \('name', 'parameters'\)"),
        ({"parameters": {}}, "reward: '' is not one of"),
        ({"name": "dense", "parameters": {"hurt": 1}}, "reward.parameters: 'hurt' is not one of"),
        ({"name": "dense", "parameters": [1]}, r"reward.parameters: \[1\] is not a dict"),
        ({"name": "dense", "parameters": {"hit": "a"}}, "reward.parameters: hit: 'a' is not"),
    ],
)
def test_a_reward_that_is_not_one_is_refused(reward, said):
    with pytest.raises(InputError, match=said):
        gym.make(HANGMAN, reward=reward)
    with pytest.raises(TypeError, match="not JSON serializable"):
        gym.make(HANGMAN, words=WORDS, reward=lambda result: result.won * 1.0).spec.to_json()
