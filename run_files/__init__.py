"""A run on disk: its config, its directory, its agents."""
