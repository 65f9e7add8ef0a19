"""Training a policy: the posterior, PPO, validation, checkpoints."""
