"""Comparison of agents that guess whole words."""
