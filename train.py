"""Train a policy; see ``python train.py --help``."""

import sys

import hangman_lab

if __name__ == "__main__":
    sys.exit(hangman_lab.main())
