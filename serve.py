"""Serve games over HTTP; see ``python serve.py --help``."""

import sys

from hangman_lab import main

if __name__ == "__main__":
    sys.exit(main())
