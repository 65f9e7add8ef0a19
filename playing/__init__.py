"""Hangman in the terminal, where a person meets the agents."""
