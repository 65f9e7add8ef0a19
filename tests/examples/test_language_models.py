"""The environments of libraries for language models, which a scripted model plays.

Their libraries are no requirements; a library that is not installed is skipped.
"""

import asyncio
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest.mock import MagicMock

import pytest

from examples.scripted_model import SEEDS, ScriptedModel, play
from tests.processes import ROOT


@pytest.fixture(scope="module")
def model():
    return ScriptedModel()


@pytest.fixture(scope="module")
def won(model):
    """Whether the scripted model wins each game, without a library."""
    return list(play(model))


def test_the_scripted_model_plays_as_the_agent_does(won):
    assert sum(won) == 20


def test_the_tool_for_trl_plays_the_same_games(model, won, monkeypatch):
    # The tool itself needs no library.
    for library in ("trl", "datasets"):
        monkeypatch.setitem(sys.modules, library, MagicMock())
    from examples.trl_env import HangmanTool, total_reward

    games = [HangmanTool() for _ in SEEDS]
    for seed, game in zip(SEEDS, games, strict=True):
        reply = model.complete(game.reset(seed=seed, split="test", prompt=[]))
        while "[" in reply:
            reply = model.complete(game.reply(reply))
    assert [reward > 0 for reward in total_reward(games)] == won
    # The first game and its sum of rewards are left behind.
    games[0].reset(seed=0, split="test")
    assert games[0].total == 0


def test_openenv_plays_the_same_games_over_http(model, won):
    core = pytest.importorskip("openenv.core")
    uvicorn = pytest.importorskip("uvicorn")
    from examples.openenv_env import app

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.1)
    port, rewards = server.servers[0].sockets[0].getsockname()[1], []
    with core.GenericEnvClient(f"http://127.0.0.1:{port}").sync() as client:
        for seed in SEEDS:
            result = client.reset(seed=seed, split="test")
            while not result.done:
                result = client.step({"text": model.complete(result.observation["text"])})
            rewards.append(result.reward)
    assert [reward > 0 for reward in rewards] == won


@pytest.fixture
def endpoint(model):
    """The address of a server that answers chats by the scripted model, as a stream of one part."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = model.complete(asked["messages"][-1]["content"])
            delta = {"role": "assistant", "content": reply}
            part = {"id": "0", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
            part["choices"] = [{"index": 0, "finish_reason": "stop", "delta": delta}]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(f"data: {json.dumps(part)}\n\ndata: [DONE]\n\n".encode())

        def log_message(self, *message):
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.mark.slow  # verifiers starts a program for each turn
def test_verifiers_plays_the_same_games_as_chats(won, endpoint, monkeypatch):
    vf = pytest.importorskip("verifiers.v1")
    monkeypatch.syspath_prepend(ROOT / "examples")

    async def run():
        env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "verifiers_env"}}))
        client = vf.EvalClientConfig(base_url=endpoint, api_key_var="NO_KEY")
        context, limit = vf.ModelContext("scripted", client), asyncio.Semaphore(8)
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task)]
            return await asyncio.gather(*(env.run_slot(slot, context, limit) for slot in slots))

    assert [episode.traces[0].reward > 0 for episode in asyncio.run(run())] == won
