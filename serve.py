"""Serve games over HTTP; see ``python serve.py --help``."""

import sys

import hangman_lab

if __name__ == "__main__":
    sys.exit(hangman_lab.main())
