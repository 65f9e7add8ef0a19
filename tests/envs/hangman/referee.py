"""The rules of Hangman in plain Python, for one game."""


class Referee:
    def __init__(self, word, max_wrong=6, repeated_guess="life"):
        self.word, self.max_wrong, self.lives = word, max_wrong, max_wrong
        self.repeated_guess = repeated_guess
        self.guessed = set()

    def guess(self, letter):
        """Return how many places were uncovered and whether a life was lost."""
        is_new = letter not in self.guessed
        self.guessed.add(letter)
        is_lost = letter not in self.word if is_new else self.repeated_guess == "life"
        self.lives -= is_lost
        return self.word.count(letter) if is_new else 0, is_lost

    @property
    def shown(self):
        return "".join(letter if letter in self.guessed else "_" for letter in self.word)

    @property
    def won(self):
        return "_" not in self.shown

    @property
    def lost(self):
        return self.lives == 0

    @property
    def over(self):
        return self.won or self.lost
