"""Training a policy: configuration, warm start, PPO, checkpoints."""
