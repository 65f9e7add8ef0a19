"""What is not kept for ever: old practice games, and guests above their number."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hangman_lab.server import store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.settings import Settings

# Games deleted by one transaction, seconds between two, and seconds between two searches.
_GAMES = 50
_PAUSE = 0.02
_SECONDS = 5.0
# A guest that was seen since then may be playing.
_SEEN_SECONDS = 600.0
_DAY_SECONDS = 86_400.0


async def keep_pruning(database: Database, settings: Settings) -> None:
    """Prune every few seconds, until it is cancelled."""
    while True:
        await asyncio.sleep(_SECONDS)
        # Where the database fails, it logs the cause.
        with suppress(RequestError):
            await prune(database, settings)


async def prune(database: Database, settings: Settings) -> None:
    """Delete what is not kept, a little at a time, so that no request waits long."""
    begun_before = store.time() - _DAY_SECONDS * settings.practice_days
    while not await database.write(store.delete_practice_games, begun_before, _GAMES):
        await asyncio.sleep(_PAUSE)
    seen_since = store.time() - _SEEN_SECONDS
    guests = await database.read(store.list_least_used_guests, settings.guests, seen_since)
    for guest in guests:
        while not await database.write(store.forget_guest, guest, _GAMES):
            await asyncio.sleep(_PAUSE)
