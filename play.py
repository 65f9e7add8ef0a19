"""Play Hangman in the terminal; see ``python play.py --help``."""

import sys

import hangman_lab

if __name__ == "__main__":
    sys.exit(hangman_lab.main())
