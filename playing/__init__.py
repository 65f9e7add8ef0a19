"""Hangman in the terminal, for a player with or against agents."""
