"""Games as data: chats, and Minari's datasets, whose library is no requirement."""

import json

import gymnasium as gym
import pytest

import hangman_lab
from examples.transcripts import transcripts
from hangman_lab.envs import TextHangman
from hangman_lab.envs.words import Split
from tests.processes import run


def test_chats_are_games_of_the_text_environment():
    agent = hangman_lab.load_agent("dictionary")
    games = list(transcripts(agent, range(30), "train"))
    assert games == list(transcripts(agent, range(30), "train"))
    env = TextHangman(split="train")
    for seed, game in enumerate(games):
        text, info = env.reset(seed=game["seed"])
        assert game["seed"] == seed
        assert Split().part(env.secret) == "train"
        for asked, answered in zip(*[iter(game["messages"])] * 2, strict=True):
            assert asked == {"role": "user", "content": text}
            assert answered["role"] == "assistant"
            text, _, ended, _, info = env.step(answered["content"])
            assert info["valid"]
        assert ended
        assert game["won"] == info["won"]


def test_the_program_writes_a_game_a_line_and_overwrites_nothing(tmp_path):
    path = tmp_path / "chats.jsonl"
    command = "examples.transcripts", "--agent", "dictionary", "--games", 3, "--file", path
    assert run(*command).returncode == 0
    lines = path.read_text().splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [0, 1, 2]
    done = run(*command)
    assert done.returncode == 2
    assert "File exists" in done.stderr
    assert path.read_text().splitlines() == lines


@pytest.mark.filterwarnings("ignore")  # of other libraries
def test_a_dataset_of_minari_is_replayed_to_the_same_rewards(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    from examples.minari_dataset import record

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    record(["dictionary", "random"], 20, "hangman/dictionary-random-v0")
    dataset = minari.load_dataset("hangman/dictionary-random-v0")
    env, secrets = dataset.recover_environment(), gym.make("hangman_lab/Hangman-v0", split="train")
    metadata = dataset.storage.get_episode_metadata(dataset.episode_indices)
    for episode, seed in zip(dataset, (each["seed"] for each in metadata), strict=True):
        _, info = env.reset(seed=int(seed))
        for turn, letter in enumerate(episode.actions):
            assert episode.infos["action_mask"][turn].tolist() == info["action_mask"].tolist()
            _, reward, *ends, info = env.step(letter)
            recorded = (episode.rewards, episode.terminations, episode.truncations)
            assert [reward, *ends] == [each[turn] for each in recorded]
        assert episode.infos["won"][-1] == info["won"]
        assert set(episode.infos) == {"action_mask", "won"}
        secrets.reset(seed=int(seed))
        if not info["won"]:
            assert secrets.unwrapped.secret not in repr(episode)
