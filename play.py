"""Play Hangman in the terminal; see ``python play.py --help``."""

import sys

from hangman_lab import main

if __name__ == "__main__":
    sys.exit(main())
