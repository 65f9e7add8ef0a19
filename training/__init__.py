"""Training a policy: configuration, the posterior, PPO, checkpoints."""
