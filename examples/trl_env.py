"""TextHangman as an environment of TRL's GRPOTrainer; a scripted model plays 100 games in it.

Run with trl 1.16.0, transformers 5.24.0 and torch 2.13.0 (pip install trl):

python -m examples.trl_env
"""

import json
import tempfile
from importlib.resources import files

from datasets import Dataset
from transformers import ByT5Tokenizer, GPT2Config, GPT2LMHeadModel
from trl import GRPOConfig, GRPOTrainer

from examples.scripted_model import SEEDS, ScriptedModel, report
from hangman_lab.envs import TextHangman


class HangmanTool:
    """A game that is played by calls of a tool, the method ``reply``."""

    def __init__(self):
        self._game = TextHangman(split="test")

    def reset(self, seed, **columns):
        """Start the game of a row of the data set; its text is appended to the prompt."""
        self.total = 0.0
        return self._game.reset(seed=seed)[0]

    def reply(self, text: str) -> str:
        """Reply to the game, which answers.

        Args:
            text: A letter or the whole word in square brackets.
        """
        answer, reward, *_ = self._game.step(text)
        self.total += reward
        return answer


def total_reward(environments, **columns):
    """Return the sum of the rewards of each game: the reward function of the trainer."""
    return [environment.total for environment in environments]


class ScriptedTrainer(GRPOTrainer):
    """The trainer with the scripted model in place of the network that is trained."""

    def _generate_single_turn(self, prompt_ids, *arguments, **options):
        replies = []
        for text in self.processing_class.batch_decode(prompt_ids):
            reply = self.scripted.complete(text)
            if "[" in reply:
                call = json.dumps({"name": "reply", "arguments": {"text": reply}})
                reply = f"<tool_call>\n{call}\n</tool_call>"
            replies.append(reply)
        return self.processing_class(replies)["input_ids"], None


def main():
    """Play the games as the trainer's evaluation, then take a step of GRPO."""
    # A random network and a tokenizer of bytes, where a user has a model and its tokenizer.
    tokenizer = ByT5Tokenizer(eos_token="<|im_end|>")
    template = files("trl") / "chat_templates" / "qwen3_instruct_2507.jinja"
    tokenizer.chat_template = template.read_text()
    sizes = {"n_positions": 16_384, "n_embd": 16, "n_layer": 1, "n_head": 1}
    network = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **sizes))
    prompts = [[{"role": "user", "content": ""}]] * len(SEEDS)
    games = Dataset.from_dict({"prompt": prompts, "seed": SEEDS})
    settings = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
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
    trainer.scripted = ScriptedModel()
    reward = trainer.evaluate()["eval_reward"]
    report("trl", round((reward + 1) / 2 * len(SEEDS)))
    trainer.train()


if __name__ == "__main__":
    main()
