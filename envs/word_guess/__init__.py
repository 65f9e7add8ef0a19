"""Games in which whole words are guessed: Cats and Dogs, Guess the Word."""
