"""The policy network and the agent that plays it."""
