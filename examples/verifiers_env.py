"""TextHangman as a taskset and an environment of verifiers; a scripted model plays 100 games in it.

Run with verifiers 0.4.0 (pip install verifiers):

PYTHONPATH=examples python -m examples.verifiers_env
"""

import asyncio

import verifiers.v1 as vf
from openai import AsyncOpenAI

from examples.scripted_model import SEEDS, ScriptedModel, report, serve
from hangman_lab.envs import TextHangman

# What verifiers finds in the module whose name is the id of the taskset.
__all__ = ["HangmanEnv", "HangmanHarness", "HangmanTasks"]


class HangmanData(vf.TaskData):
    """A row: the prompt, which is the text of a new game, and the seed of the game."""

    seed: int


class HangmanTask(vf.Task[HangmanData]):
    """A game to play."""


class HangmanTasks(vf.Taskset[HangmanTask, vf.TasksetConfig]):
    """The games."""

    def load(self):
        """Yield a task for each seed."""
        game = TextHangman(split="test")
        for seed in SEEDS:
            text, _ = game.reset(seed=seed)
            yield HangmanTask(HangmanData(prompt=text, seed=seed), self.config.task)


class HangmanHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model from this process; verifiers' own harnesses start a program for each turn."""

    EXECUTES_CODE = NEEDS_CONTAINER = False
    SUPPORTS_RESUME = True

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        """Ask for the next turn of the chat."""
        chat = [vf.UserMessage(content=data.prompt)] if trace.num_turns == 0 else data.prompt
        messages = [{"role": message.role, "content": message.content} for message in chat]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class HangmanConfig(vf.EnvConfig):
    """The player."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class HangmanEnv(vf.Env[HangmanConfig]):
    """Plays a task: the game answers each turn of the player."""

    async def run(self, task, agents):
        """Play the game, and record the sum of its rewards."""
        game = TextHangman(split="test")
        game.reset(seed=task.data.seed)
        total = 0.0
        async with agents.player.interaction(task) as chat:
            turn = await chat.turn()
            while not turn.terminated:
                text, reward, ended, _, _ = game.step(turn.last_reply)
                total += reward
                if ended:
                    break
                turn = await chat.turn(text)
        chat.trace.record_reward("total_reward", total)


async def play(url):
    """Play all tasks, eight at a time, with the model at an address; return the episodes."""
    env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "verifiers_env"}}))
    client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
    context, limit = vf.ModelContext("scripted", client), asyncio.Semaphore(8)
    async with env.serving():
        slots = [slot for task in env.taskset for slot in env.slots(task)]
        return await asyncio.gather(*(env.run_slot(slot, context, limit) for slot in slots))


def main():
    """Serve the scripted model, and play."""
    episodes = asyncio.run(play(serve(ScriptedModel())))
    report("verifiers", sum(episode.traces[0].reward > 0 for episode in episodes))


if __name__ == "__main__":
    main()
