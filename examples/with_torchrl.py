"""PPO of TorchRL with masked letters: python -m examples.with_torchrl.

TorchRL 0.14.1: 68 to 74% of unseen words, random letters 1 to 2% (51,200 steps, 18 s, AMD EPYC).
"""

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, Compose, GymWrapper, TransformedEnv, UnaryTransform
from torchrl.modules import MLP, MaskedOneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, value

from hangman_lab.envs import HangmanVectorEnv


def make_envs(number, part="train", reward="dense"):
    """Return games of 12-letter words, with masks."""
    rules = {"min_length": 12, "max_length": 12, "max_wrong": 10, "autoreset_mode": "Disabled"}
    envs = GymWrapper(HangmanVectorEnv(number, split=part, reward=reward, **rules))
    mask = UnaryTransform(["guessed"], ["action_mask"], fn=lambda x: x == 0)
    places = UnaryTransform(["word"], ["places"], fn=lambda x: torch.eye(28)[x.long()].flatten(-2))
    return TransformedEnv(envs, Compose(places, mask, ActionMask()))


net, head = (MLP(in_features=12 * 28, out_features=n, num_cells=[128]) for n in (26, 1))
logits, critic = TensorDictModule(net, ["places"], ["logits"]), ValueOperator(head, ["places"])
keys = {"in_keys": {"logits": "logits", "mask": "action_mask"}, "return_log_prob": True}
actor = ProbabilisticActor(logits, distribution_class=MaskedOneHotCategorical, **keys)
advantage, loss = value.GAE(gamma=0.5, lmbda=0.9, value_network=critic), ClipPPOLoss(actor, critic)
adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
for batch in Collector(make_envs(64), actor, frames_per_batch=2048, total_frames=51_200):
    for part in advantage(batch).reshape(-1)[torch.randint(2048, (32, 256))]:
        adam.zero_grad()
        sum(term for key, term in loss(part).items() if key[:5] == "loss_").backward()
        adam.step()
for name, policy in (("random letters", None), ("PPO", actor)):
    games = make_envs(500, "valid", "sparse").rollout(26, policy, break_when_any_done=False)["next"]
    won = games["reward"][games["done"] & (games["done"].cumsum(dim=1) == 1)] == 1
    print(f"{name}: {won.float().mean():.1%} of {len(won)} unseen words won")
