"""The environments of libraries for language models, which a scripted model plays.

Their libraries are no requirements; a library that is not installed is skipped.
"""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
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


@pytest.mark.filterwarnings("ignore")  # of other libraries
def test_trl_plays_the_same_games_and_trains(model, won, tmp_path):
    trl = pytest.importorskip("trl")
    from importlib.resources import files

    from datasets import Dataset
    from transformers import ByT5Tokenizer, GPT2Config, GPT2LMHeadModel

    from examples.trl_env import HangmanTool, total_reward

    class ScriptedTrainer(trl.GRPOTrainer):
        """The trainer with the scripted model in place of the network that is trained."""

        def _generate_single_turn(self, prompt_ids, *arguments, **options):
            replies = []
            for text in self.processing_class.batch_decode(prompt_ids):
                reply = model.complete(text)
                if "[" in reply:
                    call = json.dumps({"name": "reply", "arguments": {"text": reply}})
                    reply = f"<tool_call>\n{call}\n</tool_call>"
                replies.append(reply)
            return self.processing_class(replies)["input_ids"], None

    # A random network and a tokenizer of bytes, where a user has a model and its tokenizer.
    tokenizer = ByT5Tokenizer(eos_token="<|im_end|>")
    template = files("trl") / "chat_templates" / "qwen3_instruct_2507.jinja"
    tokenizer.chat_template = template.read_text()
    sizes = {"n_positions": 16_384, "n_embd": 16, "n_layer": 1, "n_head": 1}
    network = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **sizes))
    row = {"prompt": [{"role": "user", "content": ""}], "split": "test"}
    games = Dataset.from_list([{**row, "seed": seed} for seed in SEEDS])
    settings = trl.GRPOConfig(
        output_dir=str(tmp_path),
        max_completion_length=16_000,
        num_generations=2,
        num_generations_eval=1,
        per_device_eval_batch_size=10,
        per_device_train_batch_size=2,
        max_steps=1,
        use_cpu=True,
    )
    trainer = ScriptedTrainer(
        network,
        total_reward,
        settings,
        train_dataset=games,
        eval_dataset=games,
        processing_class=tokenizer,
        environment_factory=HangmanTool,
    )
    results = trainer.evaluate()
    assert round((results["eval_reward"] + 1) / 2 * len(SEEDS)) == sum(won)
    assert results["eval_won"] == pytest.approx(np.mean(won))
    assert results["eval_valid"] == 1
    assert 4 < results["eval_wrong_guesses"] < 6
    trainer.train()


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
            observed = result.observation
            assert observed["won"] == (result.reward > 0)
            assert observed["valid"]
            assert 0 <= observed["wrong_guesses"] <= 6
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

    traces = [episode.traces[0] for episode in asyncio.run(run())]
    assert [trace.reward > 0 for trace in traces] == won
    assert [trace.metrics["won"] for trace in traces] == won
    assert {trace.metrics["valid"] for trace in traces} == {1}
