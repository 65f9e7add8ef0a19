"""The games of players: begun, guessed, resigned, and how many each may have.

What is kept in memory is what the database holds: a change is answered when it has been committed,
and forgotten in memory if that failed. All of it runs on one event loop.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from envs.encoding import ALPHABET
from envs.hangman.game import Game
from server import metrics, store
from server.database import AlreadyStoredError, Database
from server.errors import RequestError
from server.game import GameAnswer, PlayerGame
from server.players import Player
from server.served_words import ServedWords, draw_word
from server.settings import Settings

_ID_BYTES = 16
_ID = re.compile(f"[0-9a-f]{{{2 * _ID_BYTES}}}")


class Games:
    """The games of all players."""

    def __init__(self, database: Database, words: ServedWords, settings: Settings) -> None:
        self._database = database
        self._words = words
        self._settings = settings
        self._games: OrderedDict[str, PlayerGame] = OrderedDict()

    async def begin(self, player: Player, recorded: bool, key: str | None = None) -> GameAnswer:
        """Begin a game; with the key of an earlier request, return the game that it began.

        Refused: 403 if the player's games are used up or too many are open, 422 for a key that
        began a game of the other kind.
        """
        begun = await self._find_begun(player, recorded, key)
        if begun is not None:
            return begun
        self._check_quota(player, recorded)
        game = self._make_game(player, recorded)
        player.tally.add(recorded, "ongoing")
        try:
            await self._database.write(store.add_game, game, key, player.is_guest)
        except BaseException as error:
            player.tally.add(recorded, "ongoing", -1)
            if isinstance(error, AlreadyStoredError):
                begun = await self._find_begun(player, recorded, key)
                if begun is not None:
                    return begun
            raise
        metrics.GAMES.labels("recorded" if recorded else "practice").inc()
        self._keep(game)
        return game.answer()

    async def guess(
        self, player: Player, game_id: str, letter: str, key: str | None = None
    ) -> GameAnswer:
        """Guess a letter in an open game.

        A letter that was guessed before changes nothing. A request that repeats the key of an
        earlier guess of the game gets that guess's answer again.

        Refused: 400 if it is not one letter, 404 if the player has no such game, 409 if the game is
        over, 422 if the key belongs to another letter.
        """
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
            game.guess(guessed, key)
            answer = game.answer()
            await self._store_change(game, store.add_guess)
            metrics.GUESSES.inc()
            if answer.status != "ongoing":
                player.tally.end(answer.recorded, answer.status)
            return answer

    async def resign(self, player: Player, game_id: str) -> GameAnswer:
        """Give a game up, again perhaps; 404 if there is none, 409 if it has ended otherwise."""
        async with self._locked(player, game_id) as game:
            if game.resigned:
                return game.answer()
            _check_open(game)
            game.resigned = True
            answer = game.answer()
            await self._store_change(game, store.resign_game)
            player.tally.end(answer.recorded, answer.status)
            return answer

    async def find(self, player: Player, game_id: str) -> GameAnswer:
        """Return how a game of the player stands; 404 if there is none."""
        async with self._locked(player, game_id) as game:
            return game.answer()

    async def list_open(self, player: Player, limit: int) -> list[str]:
        """Return the ids of the player's open games, the oldest first."""
        return await self._database.read(store.list_open_games, player.id, limit)

    async def begin_hint(self, player: Player, game_id: str | None) -> GameAnswer | None:
        """Return the game that a hint is asked for; None for a pattern of no game.

        Refused: 403 if hints are off in recorded games, 404 if the player has no such game, 409 if
        it is over, or if no game is named while recorded ones are open.
        """
        if game_id is None:
            if player.tally.open_recorded:
                raise RequestError(409, "recorded games are open; say by game_id which game it is")
            return None
        async with self._locked(player, game_id) as game:
            _check_open(game)
            if game.recorded and self._settings.recorded_hints == "off":
                raise RequestError(403, "this server gives no hints in recorded games")
            return game.answer()

    async def mark_hinted(self, player: Player, game_id: str) -> None:
        """Mark a game in which a hint is given."""
        async with self._locked(player, game_id) as game:
            if not game.hinted:
                game.hinted = True
                await self._store_change(game, store.mark_hinted)

    def _check_quota(self, player: Player, recorded: bool) -> None:
        bounds, tally = self._settings, player.tally
        if recorded and player.is_guest:
            raise RequestError(403, "guests play practice games; recorded ones need an own token")
        if recorded and tally.recorded_runs >= bounds.recorded_runs:
            raise RequestError(403, f"all {bounds.recorded_runs:,} recorded runs are used up")
        if not recorded and tally.practice_runs >= bounds.practice_runs:
            raise RequestError(403, f"all {bounds.practice_runs:,} practice runs are used up")
        allowed = bounds.guest_open_games if player.is_guest else bounds.open_games
        if tally.open_games >= allowed:
            raise RequestError(403, f"{allowed:,} games are open; finish or resign one first")

    def _make_game(self, player: Player, recorded: bool) -> PlayerGame:
        tally, words, played = player.tally, self._words.practice, set()
        if recorded:
            words, played = self._words.recorded, tally.recorded_words
        runs = tally.recorded_runs if recorded else tally.practice_runs
        draw_key = self._database.draw_key
        secret = draw_word(words, played, draw_key, f"{player.id} {recorded} {runs}")
        if recorded:
            tally.recorded_words.add(secret)
        # The id is as random as a token; it has nothing to do with the word.
        return PlayerGame(
            secrets.token_hex(_ID_BYTES),
            player.id,
            recorded,
            Game(secret, self._settings.max_wrong),
            withheld=recorded and self._words.withheld,
        )

    async def _find_begun(
        self, player: Player, recorded: bool, key: str | None
    ) -> GameAnswer | None:
        """Return the game that a request with this key began, as it was then."""
        if key is None:
            return None
        game_id = await self._database.read(store.find_game_by_key, player.id, key)
        if game_id is None:
            return None
        async with self._locked(player, game_id) as game:
            if game.recorded != recorded:
                raise RequestError(422, "the key of this request belongs to another kind of game")
            return game.answer_after(0)

    @asynccontextmanager
    async def _locked(self, player: Player, game_id: str) -> AsyncIterator[PlayerGame]:
        """Hold a game of the player, so that no other request touches it meanwhile."""
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
                # Whoever had it before may have had to forget it.
                if self._games.get(game_id) is game:
                    yield game
                    return

    def _keep(self, game: PlayerGame) -> None:
        self._games[game.game_id] = game
        self._games.move_to_end(game.game_id)
        if len(self._games) > self._settings.cached_games:
            self._games.popitem(last=False)

    async def _store_change(self, game: PlayerGame, statement: Callable[..., None]) -> None:
        try:
            await self._database.write(statement, game)
        except BaseException:
            # What is stored is what counts; it is read again by the next request.
            self._games.pop(game.game_id, None)
            raise


def _check_open(game: PlayerGame) -> None:
    if game.status != "ongoing":
        raise RequestError(409, f"the game is over ({game.status})")
