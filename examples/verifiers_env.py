"""TextHangman as a taskset and an environment of verifiers, found by the name of this module."""

import verifiers.v1 as vf

from hangman_lab.envs import TextHangman

__all__ = ["HangmanEnv", "HangmanTasks"]


class HangmanTasks(vf.Taskset[vf.Task, vf.TasksetConfig]):
    """Games with unseen words; the index of a task is the seed of its game."""

    def load(self):
        """Yield the texts of new games."""
        game = TextHangman(split="test")
        for seed in range(100):
            yield vf.Task(vf.TaskData(prompt=game.reset(seed=seed)[0]), self.config.task)


class HangmanConfig(vf.EnvConfig):
    """The player, a chat without tools."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())


class HangmanEnv(vf.Env[HangmanConfig]):
    """Plays a task: the game answers each turn of the player."""

    async def run(self, task, agents):
        """Play the game; record the sum of its rewards, and what else became of it."""
        game, total, ended, valid = TextHangman(split="test"), 0.0, False, []
        text, info = game.reset(seed=task.data.idx)
        async with agents.player.interaction(task) as chat:
            turn = await chat.turn()
            while not (turn.terminated or ended):
                text, reward, ended, _, info = game.step(turn.last_reply)
                total += reward
                valid.append(info["valid"])
                turn = turn if ended else await chat.turn(text)
        chat.trace.record_reward("total_reward", total)
        chat.trace.record_metrics({**info, "valid": sum(valid) / max(len(valid), 1)})
