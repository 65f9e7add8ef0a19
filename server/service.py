"""The service: what is done with players and games, whatever the form of the requests.

All of it runs on one event loop. What it keeps in memory is what the database holds: a change is
answered when it has been committed, and forgotten in memory if that failed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import string
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from envs.encoding import ALPHABET
from server import metrics, store
from server.database import Database, cause
from server.errors import RequestError
from server.game import Game, GameView, Guess
from server.leaderboard import Leaderboard, PlayerRecord, Ranking, win_rates
from server.rate_limit import Buckets, TokenBucket, network_of
from server.served_words import ServedWords, draw_word
from server.settings import Settings
from server.tokens import MAX_LENGTH as MAX_TOKEN_LENGTH
from server.tokens import hash_token, make_token

# A token that was replaced or revoked stays known for so long.
SECONDS_KNOWN = 1.0
_LEADERBOARD_SECONDS = 1.0
# A guest that began no game in this time makes room for another.
_UNUSED_GUEST_SECONDS = 600.0
_MAX_PLAYERS = 20_000
_GAME_ID_BYTES = 16
_GAME_ID = re.compile(f"[0-9a-f]{{{2 * _GAME_ID_BYTES}}}")
_KEY_CHARACTERS = frozenset(string.ascii_letters + string.digits + string.punctuation)
_CANNOT_STORE = "the games cannot be stored now; try again"
_CANNOT_READ = "the games cannot be read now; try again"

logger = logging.getLogger("server")


@dataclass
class Player:
    """A player while the server runs: how many games it has, and its buckets."""

    id: int
    name: str | None
    is_guest: bool
    requests: TokenBucket
    agent_requests: TokenBucket
    practice_runs: int = 0
    recorded_runs: int = 0
    practice_successes: int = 0
    recorded_successes: int = 0
    open_games: int = 0
    open_recorded: int = 0
    recorded_words: set[str] = field(default_factory=set)

    def count(self, game: Game, change: int) -> None:
        """Count a game that begins (1), or one that could not be stored (-1)."""
        self.open_games += change
        if not game.recorded:
            self.practice_runs += change
            return
        self.recorded_runs += change
        self.open_recorded += change
        if change > 0:
            self.recorded_words.add(game.secret)

    def count_end(self, view: GameView) -> None:
        """Count a game that has ended."""
        self.open_games -= 1
        self.open_recorded -= view.recorded
        if view.status == "success" and view.recorded:
            self.recorded_successes += 1
        elif view.status == "success":
            self.practice_successes += 1


class GameService:
    """Players, games and their bounds.

    Parameters
    ----------
    database : Database
    words : ServedWords
    settings : Settings
    clock : callable
        Returns seconds; of the rates.
    """

    def __init__(
        self,
        database: Database,
        words: ServedWords,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._database = database
        self.words = words
        self._clock = clock
        self._players: OrderedDict[int, Player] = OrderedDict()
        self._known_tokens: OrderedDict[str, tuple[Player, float]] = OrderedDict()
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._addresses = Buckets(settings.address_rate, settings.address_burst, clock=clock)
        self._guests = Buckets(
            settings.guest_address_rate, settings.guest_address_burst, clock=clock
        )
        self._new_guests = Buckets(settings.new_guest_rate, settings.new_guest_burst, clock=clock)
        self._guest_agents = Buckets(settings.agent_rate, settings.agent_burst, clock=clock)
        self._ranking: tuple[float, Ranking] | None = None
        self._making_ranking: asyncio.Future[Ranking] | None = None
        # Of the ranking as it was answered, by limit and offset.
        self._parts: dict[tuple[int, int], bytes] = {}
        self._reported: dict[str, tuple[str, float]] = {}

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return who a token belongs to, after taking one request from its bucket.

        Raises
        ------
        RequestError
            401 without a token or with an unknown one, 429 above the rate.
        """
        if not token:
            raise RequestError(401, "no access token is given")
        player = await self._find_player(token, address)
        if player.is_guest:
            _take_of(self._guests, address, "guests of this address")
        _take(player.requests, "this token")
        return player

    def admit_address(self, address: str) -> None:
        """Take a request from the bucket of an address that shows no token.

        Raises
        ------
        RequestError
            429 above the rate.
        """
        _take_of(self._addresses, address, "this address")

    def admit_agent(self, player: Player, address: str) -> tuple[Hashable, Hashable]:
        """Take one of a player's requests to an agent; return the group and the player.

        Raises
        ------
        RequestError
            429 above the rate.
        """
        whose = "hints and agent games of this token"
        if player.is_guest:
            _take_of(self._guest_agents, address, whose)
            return network_of(address), player.id
        _take(player.agent_requests, whose)
        return player.id, player.id

    async def add_guest(self, address: str) -> str:
        """Return the token of a new guest, who may play practice games.

        Raises
        ------
        RequestError
            403 if there are no guests here, 429 above the rate of the address, 503 if there are too
            many.
        """
        if not self.settings.guests:
            raise RequestError(403, "this server has no guests; use an access token")
        _take_of(self._new_guests, address, "new guests of this address")
        token = make_token()
        seen_before = time.time() - 3600 * self.settings.guest_hours
        added, forgotten = await self._write(
            _add_guest, hash_token(token), self.settings.guests, seen_before
        )
        for number in forgotten:
            self._players.pop(number, None)
        if not added:
            raise RequestError(503, "there are too many guests; use an access token", 60.0)
        return token

    async def new_game(self, player: Player, recorded: bool, key: str | None = None) -> GameView:
        """Begin a game; with the key of an earlier request, return the game that it began.

        Raises
        ------
        RequestError
            403 if the player's games are used up or too many are open, 422 for a key that began a
            game of the other kind.
        """
        _check_key(key)
        if key is not None:
            begun = await self._read(store.find_game_by_key, player.id, key)
            if begun is not None:
                return await self._begun(player, begun, recorded)
        self._check_quota(player, recorded)
        words = self.words.recorded if recorded else self.words.practice
        game = Game(
            # As random as the token; it has nothing to do with the word.
            game_id=secrets.token_hex(_GAME_ID_BYTES),
            player_id=player.id,
            secret=draw_word(
                words,
                player.recorded_words if recorded else (),
                self._database.draw_key,
                f"{player.id} {recorded} "
                f"{player.recorded_runs if recorded else player.practice_runs}",
            ),
            recorded=recorded,
            max_wrong=self.settings.max_wrong,
            withheld=recorded and self.words.withheld,
        )
        player.count(game, 1)
        try:
            await self._write(store.add_game, game, key, player.is_guest)
        except BaseException as error:
            player.count(game, -1)
            if isinstance(error, _AlreadyStoredError) and key is not None:
                begun = await self._read(store.find_game_by_key, player.id, key)
                if begun is not None:
                    return await self._begun(player, begun, recorded)
            raise
        metrics.GAMES.labels("recorded" if recorded else "practice").inc()
        self._keep(game)
        return game.view()

    async def guess(
        self, player: Player, game_id: str, letter: str, key: str | None = None
    ) -> GameView:
        """Guess a letter in an open game.

        A letter that was guessed before changes nothing. A request that repeats the key of an
        earlier guess of the game gets that guess's answer again.

        Raises
        ------
        RequestError
            400 if it is not one letter, 404 if the player has no such game, 409 if the game is
            over, 422 if the key belongs to another letter.
        """
        _check_key(key)
        guessed = letter.lower()
        if len(letter) != 1 or not letter.isascii() or guessed not in ALPHABET:
            raise RequestError(400, "letter: one letter a to z is expected")
        async with self._locked(player, game_id) as game:
            if key is not None and (number := game.find_key(key)) is not None:
                if game.guesses[number - 1].letter != guessed:
                    raise RequestError(422, "the key of this request belongs to another letter")
                return game.view_after(number)
            if game.over:
                raise RequestError(409, f"the game is over ({game.status})")
            if game.has_guessed(guessed):
                return game.view()
            guess = Guess(guessed, key)
            game.play(guess)
            view = game.view()
            number = len(game.guesses)
            await self._store_change(game, store.add_guess, game, number, guess, view.status)
            metrics.GUESSES.inc()
            if view.status != "ongoing":
                player.count_end(view)
            return view

    async def resign(self, player: Player, game_id: str) -> GameView:
        """Give a game up: it is failed, and its word is told. Idempotent.

        Raises
        ------
        RequestError
            404 if the player has no such game, 409 if it has ended otherwise.
        """
        async with self._locked(player, game_id) as game:
            if game.resigned:
                return game.view()
            if game.over:
                raise RequestError(409, f"the game is over ({game.status})")
            game.resigned = True
            view = game.view()
            await self._store_change(game, store.resign_game, game)
            player.count_end(view)
            return view

    async def view(self, player: Player, game_id: str) -> GameView:
        """Return how a game of the player stands; 404 if there is none."""
        async with self._locked(player, game_id) as game:
            return game.view()

    async def open_games(self, player: Player, limit: int) -> list[str]:
        """Return the ids of the player's open games, the oldest first."""
        return await self._read(store.list_open_games, player.id, limit)

    async def begin_hint(self, player: Player, game_id: str | None) -> GameView | None:
        """Return the game that a hint is asked for; None for a pattern of no game.

        Raises
        ------
        RequestError
            403 if hints are off in recorded games, 404 if the player has no such game, 409 if it is
            over, or if no game is named while recorded ones are open.
        """
        if game_id is None:
            if player.open_recorded:
                raise RequestError(409, "recorded games are open; say by game_id which game it is")
            return None
        async with self._locked(player, game_id) as game:
            if game.over:
                raise RequestError(409, f"the game is over ({game.status})")
            if game.recorded and self.settings.recorded_hints == "off":
                raise RequestError(403, "this server gives no hints in recorded games")
            return game.view()

    async def mark_hinted(self, player: Player, game_id: str) -> None:
        """Mark a game in which a hint is given."""
        async with self._locked(player, game_id) as game:
            if not game.hinted:
                game.hinted = True
                await self._store_change(game, store.mark_hinted, game)

    async def leaderboard(self, limit: int, offset: int) -> bytes:
        """Return a part of the ranking as JSON; it is at most a second old."""
        ranking = await self._rank()
        if (limit, offset) not in self._parts:
            board = Leaderboard(players=ranking.rows(limit, offset), total=len(ranking))
            self._parts[limit, offset] = board.model_dump_json().encode()
        return self._parts[limit, offset]

    async def player_record(self, name: str) -> PlayerRecord:
        """Return the recorded games of a player by word length; 404 without any."""
        row = (await self._rank()).find(name)
        if row is None:
            raise RequestError(404, "no recorded game of a player of this name")
        counts = await self._read(store.count_by_length, name)
        rates = zip(counts, win_rates(counts), strict=True)
        by_length = {str(count.length): rate for count, rate in rates}
        return PlayerRecord(**vars(row), by_length=by_length)

    async def check(self) -> None:
        """Read from the database; 503 if it cannot be."""
        await self._read(store.find_generation)

    async def _rank(self) -> Ranking:
        if self._ranking is not None and self._clock() - self._ranking[0] < _LEADERBOARD_SECONDS:
            return self._ranking[1]
        if self._making_ranking is None:
            self._making_ranking = asyncio.ensure_future(self._make_ranking())
        # Those who come while it is being computed wait for the same result.
        return await asyncio.shield(self._making_ranking)

    async def _make_ranking(self) -> Ranking:
        try:
            ranking = await self._read(lambda connection: Ranking(store.list_standings(connection)))
            # Its age begins now, however long it took.
            self._ranking = self._clock(), ranking
            self._parts.clear()
        finally:
            self._making_ranking = None
        return ranking

    async def _find_player(self, token: str, address: str) -> Player:
        hashed = hash_token(token[: MAX_TOKEN_LENGTH + 1])
        known = self._known_tokens.get(hashed)
        if known is not None and self._clock() - known[1] < SECONDS_KNOWN:
            return known[0]
        if known is None:
            # Unknown until the contrary is read, so that tokens are not tried faster than this.
            self.admit_address(address)
        now = self._clock()
        stored = await self._read(store.find_player, hashed)
        if stored is None:
            self._known_tokens.pop(hashed, None)
            raise RequestError(401, "the access token is not known")
        if known is None:
            self._addresses.give_back(network_of(address))
        player = self._players.get(stored.id)
        if player is None:
            tally = await self._read(store.load_tally, stored.id)
            # Another request of the player may have been faster.
            player = self._players.get(stored.id) or self._make_player(stored, tally)
        self._players[player.id] = player
        self._players.move_to_end(player.id)
        self._known_tokens[hashed] = player, now
        self._known_tokens.move_to_end(hashed)
        if len(self._known_tokens) > _MAX_PLAYERS:
            self._known_tokens.popitem(last=False)
        if len(self._players) > _MAX_PLAYERS:
            self._forget_player()
        return player

    def _make_player(self, stored: store.StoredPlayer, tally: store.Tally) -> Player:
        bounds = self.settings
        rate = bounds.guest_rate if stored.is_guest else bounds.request_rate
        burst = bounds.guest_burst if stored.is_guest else bounds.request_burst
        return Player(
            stored.id,
            stored.name,
            stored.is_guest,
            TokenBucket(rate, burst, self._clock),
            TokenBucket(bounds.agent_rate, bounds.agent_burst, self._clock),
            tally.practice_runs,
            tally.recorded_runs,
            tally.practice_successes,
            tally.recorded_successes,
            tally.open_games,
            tally.open_recorded,
            set(tally.recorded_words),
        )

    def _forget_player(self) -> None:
        _, forgotten = self._players.popitem(last=False)
        self._known_tokens = OrderedDict(
            (hashed, known)
            for hashed, known in self._known_tokens.items()
            if known[0] is not forgotten
        )

    def _check_quota(self, player: Player, recorded: bool) -> None:
        bounds = self.settings
        if recorded and player.is_guest:
            raise RequestError(403, "guests play practice games; recorded ones need an own token")
        if recorded and player.recorded_runs >= bounds.recorded_runs:
            raise RequestError(403, f"all {bounds.recorded_runs:,} recorded runs are used up")
        if not recorded and player.practice_runs >= bounds.practice_runs:
            raise RequestError(403, f"all {bounds.practice_runs:,} practice runs are used up")
        allowed = bounds.guest_open_games if player.is_guest else bounds.open_games
        if player.open_games >= allowed:
            raise RequestError(403, f"{allowed:,} games are open; finish or resign one first")

    async def _begun(self, player: Player, game_id: str, recorded: bool) -> GameView:
        async with self._locked(player, game_id) as game:
            if game.recorded != recorded:
                raise RequestError(422, "the key of this request belongs to another kind of game")
            return game.view_after(0)

    @asynccontextmanager
    async def _locked(self, player: Player, game_id: str) -> AsyncIterator[Game]:
        """Hold a game of the player, so that no other request touches it meanwhile."""
        while True:
            game = self._games.get(game_id)
            if game is None and _GAME_ID.fullmatch(game_id):
                stored = await self._read(store.find_game, game_id)
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

    def _keep(self, game: Game) -> None:
        self._games[game.game_id] = game
        self._games.move_to_end(game.game_id)
        if len(self._games) > self.settings.cached_games:
            self._games.popitem(last=False)

    async def _store_change(self, game: Game, statement: Callable[..., Any], *of: Any) -> None:
        try:
            await self._write(statement, *of)
        except BaseException:
            # What is stored is what counts; it is read again by the next request.
            self._games.pop(game.game_id, None)
            raise

    async def _write(self, statement: Callable[..., Any], *of: Any) -> Any:
        try:
            return await self._database.write(statement, *of)
        except IntegrityError as error:
            raise _AlreadyStoredError from error
        except SQLAlchemyError as error:
            self._report("write", error)
            raise RequestError(503, _CANNOT_STORE, 1.0) from error

    async def _read(self, statement: Callable[..., Any], *of: Any) -> Any:
        try:
            return await self._database.read(statement, *of)
        except SQLAlchemyError as error:
            self._report("read", error)
            raise RequestError(503, _CANNOT_READ, 1.0) from error

    def _report(self, what: str, error: SQLAlchemyError) -> None:
        """Log why the database failed, the same cause once a second: a disk may be full."""
        metrics.STORAGE_FAILURES.labels(what).inc()
        why, now = cause(error), time.monotonic()
        last = self._reported.get(what)
        if last is None or last[0] != why or now - last[1] >= 1.0:
            self._reported[what] = why, now
            logger.error("the database failed", extra={"during": what, "cause": why})


class _AlreadyStoredError(RequestError):
    """The same was stored by another request."""

    def __init__(self) -> None:
        super().__init__(503, _CANNOT_STORE, 1.0)


def _take(bucket: TokenBucket, whose: str) -> None:
    _refuse_until(bucket.take(), whose)


def _take_of(buckets: Buckets, address: str, whose: str) -> None:
    _refuse_until(buckets.take(network_of(address)), whose)


def _refuse_until(wait: float, whose: str) -> None:
    if wait:
        raise RequestError(429, f"too many requests: {whose}; wait a moment", wait)


def _check_key(key: str | None) -> None:
    if key is None:
        return
    if not 1 <= len(key) <= store.MAX_KEY_LENGTH or not _KEY_CHARACTERS.issuperset(key):
        raise RequestError(
            422, f"Idempotency-Key: 1 to {store.MAX_KEY_LENGTH} printable characters are expected"
        )


def _add_guest(
    connection: Any, token_hash: str, max_guests: int, seen_before: float
) -> tuple[bool, list[int]]:
    """Store a guest if there is room; return whether, and who made room."""
    forgotten = []
    if store.count_guests(connection) >= max_guests:
        unused_before = time.time() - _UNUSED_GUEST_SECONDS
        forgotten = store.forget_guests(connection, seen_before, unused_before)
        if store.count_guests(connection) >= max_guests:
            return False, forgotten
    store.add_player(connection, None, token_hash)
    return True, forgotten
