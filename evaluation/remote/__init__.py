"""Agents that play the games of a server, over HTTP."""
