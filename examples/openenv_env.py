"""TextHangman as an environment of OpenEnv; a scripted model plays 100 games in it as a client.

Run with openenv 0.10.0 (pip install openenv):

python -m examples.openenv_env           serves and plays
uvicorn examples.openenv_env:app         serves alone
"""

import threading
import time

import uvicorn
from openenv.core import GenericEnvClient
from openenv.core.env_server import Action, Environment, Observation, State, create_app

from examples.scripted_model import SEEDS, ScriptedModel, report
from hangman_lab.envs import TextHangman


class Reply(Action):
    """What a model says."""

    text: str


class Answer(Observation):
    """What the game says; ``done``, ``reward`` and ``metadata`` are OpenEnv's."""

    text: str


class HangmanEnvironment(Environment):
    """One session: a game at a time."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.game = TextHangman(split="test")
        self._state = State()

    def reset(self, seed=None, episode_id=None, **options):
        """Start the game of a seed."""
        text, info = self.game.reset(seed=seed)
        self._state = State(episode_id=episode_id)
        return Answer(text=text, metadata=info)

    def step(self, action, timeout_s=None, **options):
        """Play a reply."""
        text, reward, done, _, info = self.game.step(action.text)
        self._state.step_count += 1
        return Answer(text=text, reward=reward, done=done, metadata=info)

    @property
    def state(self):
        """The identity and length of the episode."""
        return self._state


app = create_app(HangmanEnvironment, Reply, Answer, env_name="hangman", max_concurrent_envs=64)


def main():
    """Serve the app on a free port, and play."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.1)
    port = server.servers[0].sockets[0].getsockname()[1]
    model, wins = ScriptedModel(), 0
    with GenericEnvClient(f"http://127.0.0.1:{port}").sync() as client:
        for seed in SEEDS:
            result = client.reset(seed=seed)
            while not result.done:
                result = client.step({"text": model.complete(result.observation["text"])})
            wins += result.reward > 0
    report("openenv", wins)


if __name__ == "__main__":
    main()
