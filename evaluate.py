"""Compare agents; see ``python evaluate.py --help``."""

import sys

from evaluation.command_line import main

if __name__ == "__main__":
    sys.exit(main())
