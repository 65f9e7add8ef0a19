"""The games in which a whole word is guessed: Cats and Dogs, Guess the Word."""
