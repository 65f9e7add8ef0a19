"""Train many runs on Ray; see ``python sweep.py --help``."""

import sys

from hangman_lab import main

if __name__ == "__main__":
    sys.exit(main())
