"""The one exception that means: what the user gave cannot be used."""


class InputError(ValueError):
    """Bad input. The message is one line: what was wrong, where, and what is allowed.

    The commands print it and exit with status 2; in a program it is a ``ValueError``.
    """
