"""Serve games over HTTP; see ``python serve.py --help``."""

import sys

from server.command_line import main

if __name__ == "__main__":
    sys.exit(main())
