"""Hangman in the terminal, for a person with or against agents."""
