"""Train a policy; see ``python train.py --help``."""

import sys

from training.command_line import main

if __name__ == "__main__":
    sys.exit(main())
