"""The game of Hangman."""
