"""The games of players, of which those in memory equal those in the database.

A change is answered after its commit; a game whose change was not stored leaves the memory.
"""

from __future__ import annotations

import math
import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from sqlite3 import Connection

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.game import Game
from hangman_lab.server import observability, store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.players import check_known
from hangman_lab.server.served_words import Choice, ServedWords, draw_word, select_practice
from hangman_lab.server.settings import Settings
from hangman_lab.server.store import GameAnswer, GameCounts, Player, PlayerGame

_GUEST_OPEN_GAMES = 20
_CACHED_GAMES = 10_000
_ANY = Choice()
_ID_BYTES = 16
_ID = re.compile(f"[0-9a-f]{{{2 * _ID_BYTES}}}")


class Games:
    """The games of all players."""

    def __init__(self, database: Database, words: ServedWords, settings: Settings) -> None:
        self._database = database
        self._words = words
        self._settings = settings
        self._games: OrderedDict[str, PlayerGame] = OrderedDict()

    async def begin(
        self, player: Player, recorded: bool, key: str | None = None, choice: Choice = _ANY
    ) -> GameAnswer:
        """Begin a game, or return the game begun with this key, or the player's game of the day."""
        if choice.day is not None:
            key = f"day {choice.day}"  # keys of clients have no spaces
        game, is_new = await self._database.write(self._begin, player, recorded, key, choice)
        if is_new:
            observability.GAMES.labels(game.kind).inc()
            self._keep(game)
            return game.answer()
        async with self._locked(player, game.game_id) as begun:
            if begun.recorded != recorded:
                raise RequestError(422, "the key of this request belongs to another kind of game")
            return begun.answer_after(0) if choice.day is None else begun.answer()

    async def guess(
        self, player: Player, game_id: str, letter: str, key: str | None = None
    ) -> GameAnswer:
        """Guess a letter; with the key of an earlier guess, return its answer."""
        guessed = letter.lower()
        if len(letter) != 1 or not letter.isascii() or guessed not in ALPHABET:
            raise RequestError(400, "letter: one letter a to z is expected")
        async with self._locked(player, game_id) as game:
            if key is not None and key in game.keys:
                number = game.keys.index(key)
                if game.hangman.guesses[number] != guessed:
                    raise RequestError(422, "the key of this request belongs to another letter")
                return game.answer_after(number + 1)
            _check_open(game)
            if guessed in game.hangman.guesses:
                return game.answer()
            game.hangman.guess(letter_index(guessed))
            game.keys.append(key)
            answer = game.answer()
            await self._store_change(game, store.add_guess)
            observability.GUESSES.inc()
            return answer

    async def resign(self, player: Player, game_id: str) -> GameAnswer:
        """Resign a game."""
        async with self._locked(player, game_id) as game:
            if game.resigned:
                return game.answer()
            _check_open(game)
            game.resigned = True
            answer = game.answer()
            await self._store_change(game, store.end_game)
            return answer

    async def find(self, player: Player, game_id: str) -> GameAnswer:
        """Return the state of a game."""
        async with self._locked(player, game_id) as game:
            return game.answer()

    async def begin_hint(self, player: Player, game_id: str | None) -> GameAnswer | None:
        """Return the game that needs a hint, or None without an id and open recorded games."""
        if game_id is None:
            counts = await self._database.read(store.count_games, player.id)
            if counts is not None and counts.recorded_open:
                raise RequestError(409, "recorded games are open; game_id is expected")
            return None
        async with self._locked(player, game_id) as game:
            _check_open(game)
            if game.recorded and self._settings.recorded_hints == "off":
                raise RequestError(403, "this server gives no hints in recorded games")
            return game.answer()

    async def mark_hinted(self, player: Player, game_id: str) -> None:
        """Mark a game as one with a hint."""
        async with self._locked(player, game_id) as game:
            if not game.hinted:
                game.hinted = True
                await self._store_change(game, store.mark_hinted)

    def _begin(
        self,
        connection: Connection,
        player: Player,
        recorded: bool,
        key: str | None,
        choice: Choice,
    ) -> tuple[PlayerGame, bool]:
        """Return a new game or the one that the key began, and whether it is new."""
        if key is not None:
            game_id = store.find_game_by_key(connection, player.id, key)
            if game_id is not None:
                return store.find_game(connection, game_id), False
        counts = check_known(store.count_games(connection, player.id))
        self._check_quota(player, recorded, counts)
        words, played, runs = self._words.practice, set(), counts.practice_runs
        if choice != _ANY:
            words = select_practice(words, choice.length, choice.difficulty)
        if recorded:
            words, runs = self._words.recorded, counts.recorded_runs
            played = store.list_recorded_words(connection, player.id)
        if not words:
            raise RequestError(422, f"length: no practice word has {choice.length} letters")
        name = f"{player.id} {recorded} {runs}" if choice.day is None else key
        secret = draw_word(words, played, self._database.draw_key, name)
        hangman = Game(secret, self._settings.max_wrong)
        game_id = secrets.token_hex(_ID_BYTES)  # drawn apart from the word
        withheld = recorded and self._words.withheld
        game = PlayerGame(game_id, player.id, hangman, recorded=recorded, withheld=withheld)
        store.add_game(connection, game, key)
        return game, True

    def _check_quota(self, player: Player, recorded: bool, counts: GameCounts) -> None:
        if recorded and player.is_guest:
            raise RequestError(
                403, "guests have practice games; recorded games need an access token"
            )
        kind = "recorded" if recorded else "practice"
        runs = getattr(self._settings, f"{kind}_runs")
        if getattr(counts, f"{kind}_runs") >= runs:
            raise RequestError(403, f"all {runs:,} {kind} runs are used up")
        allowed = min(self._settings.open_games, _GUEST_OPEN_GAMES if player.is_guest else math.inf)
        if counts.open_games >= allowed:
            raise RequestError(403, f"{allowed:,} games are open; finish one or give one up first")

    @asynccontextmanager
    async def _locked(self, player: Player, game_id: str) -> AsyncIterator[PlayerGame]:
        """Hold the lock of a game of the player; 404 if there is none."""
        while True:
            game = self._games.get(game_id)
            if game is None and _ID.fullmatch(game_id):
                stored = await self._database.read(store.find_game, game_id)
                # Another request may have been faster.
                game = self._games.get(game_id) or stored
            if game is None or game.player_id != player.id:
                raise RequestError(404, "game_id: this token has no such game")
            self._keep(game)
            async with game.lock:
                # The previous holder may have forgotten it.
                if self._games.get(game_id) is game:
                    yield game
                    return

    def _keep(self, game: PlayerGame) -> None:
        self._games[game.game_id] = game
        self._games.move_to_end(game.game_id)
        if len(self._games) > _CACHED_GAMES:
            self._games.popitem(last=False)

    async def _store_change(self, game: PlayerGame, statement: Callable[..., None]) -> None:
        try:
            await self._database.write(statement, game)
        except BaseException:
            # The next request reads what is stored.
            self._games.pop(game.game_id, None)
            raise


def _check_open(game: PlayerGame) -> None:
    if game.status != "ongoing":
        raise RequestError(409, f"the game is over ({game.status})")
