"""Access tokens: made at random, kept as hashes."""

from __future__ import annotations

import hashlib
import secrets

_PREFIX = "hm_"
_NUM_BYTES = 32
# A text that is longer is no token.
MAX_LENGTH = 128


def make_token() -> str:
    """Return a new token of 256 random bits."""
    return _PREFIX + secrets.token_urlsafe(_NUM_BYTES)


def hash_token(token: str) -> str:
    """Return what is stored of a token, 64 hexadecimal digits.

    A token is drawn from 2**256, so that no dictionary of likely tokens exists and a plain
    SHA-256 is enough.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
