"""Compare agents; see ``python evaluate.py --help``."""

import sys

import hangman_lab

if __name__ == "__main__":
    sys.exit(hangman_lab.main())
