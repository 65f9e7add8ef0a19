"""TextHangman as an environment of TRL's GRPOTrainer, for a model of yours.

Run with trl 1.16.0 and transformers 5.24.0: pip install trl; python -m examples.trl_env
"""

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from hangman_lab.envs import TextHangman


class HangmanTool:
    """A game that is played by calls of a tool, the method ``reply``."""

    def reset(self, seed, split, **columns):
        """Start the game of a row of the data set; its text is appended to the prompt."""
        self._game, self.total = TextHangman(split=split), 0.0
        self._valid, self.metrics = [], {}
        return self._game.reset(seed=seed)[0]

    def reply(self, text: str) -> str:
        """Reply to the game.

        Args:
            text: A letter or the whole word in square brackets.
        """
        answer, reward, _, _, info = self._game.step(text)
        self.total += reward
        self._valid.append(info["valid"])
        self.metrics = {**info, "valid": sum(self._valid) / len(self._valid)}
        return answer


def total_reward(environments, log_metric, **columns):
    """Return the sum of the rewards of each game; log the means of its other results."""
    played = [environment.metrics for environment in environments if environment.metrics]
    for name in played[0] if played else ():
        log_metric(name, sum(metrics[name] for metrics in played) / len(played))
    return [environment.total for environment in environments]


if __name__ == "__main__":
    row = {"prompt": [{"role": "user", "content": ""}], "split": "train"}
    games = Dataset.from_list([{**row, "seed": seed} for seed in range(10_000)])
    options = total_reward, GRPOConfig("runs/trl", max_completion_length=8_192), games
    GRPOTrainer("Qwen/Qwen3-0.6B", *options, environment_factory=HangmanTool).train()
