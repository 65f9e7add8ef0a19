"""Train many runs on Ray; see ``python sweep.py --help``."""

import sys

import hangman_lab

if __name__ == "__main__":
    sys.exit(hangman_lab.main())
