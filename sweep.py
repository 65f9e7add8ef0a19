"""Train many runs on Ray; see ``python sweep.py --help``."""

import sys

from sweeps.command_line import main

if __name__ == "__main__":
    sys.exit(main())
