"""A player's game in memory, and what its player may be told of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, Field

from hangman_lab.envs.hangman.game import Game

Status = Literal["ongoing", "success", "failed"]


class GameAnswer(BaseModel):
    """How a game stands."""

    game_id: str
    recorded: bool
    status: Status
    word: str = Field(pattern="^[a-z_]+$", description="_ for each hidden letter")
    tries_remains: int = Field(ge=0)
    guesses: str = Field(pattern="^[a-z]*$", description="the letters in order")
    wrong: str = Field(pattern="^[a-z]*$", description="those that are not in the word")
    resigned: bool
    hinted: bool = Field(description="whether the agent gave a hint")
    secret: str | None = Field(
        description="null until the game is over, and after it where words are withheld"
    )


@dataclass(eq=False)
class PlayerGame:
    """A game with what is stored of it."""

    game_id: str
    player_id: int
    hangman: Game
    # Of the requests that made the guesses, by which a repeated one is recognised.
    keys: list[str | None] = field(default_factory=list)
    recorded: bool = False
    # Whether the word is not told when the game is lost.
    withheld: bool = False
    resigned: bool = False
    # Whether the agent gave a hint.
    hinted: bool = False
    # Held by the one request that looks at the game or changes it.
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def kind(self) -> Literal["recorded", "practice"]:
        """Whether the game counts on the leaderboard."""
        return "recorded" if self.recorded else "practice"

    @property
    def status(self) -> Status:
        """How the game stands."""
        if self.hangman.won:
            return "success"
        return "failed" if self.resigned or self.hangman.over else "ongoing"

    def answer(self) -> GameAnswer:
        """Return what the player may know; the secret only when the game is over."""
        status, game = self.status, self.hangman
        tells = status == "success" or (status == "failed" and not self.withheld)
        return GameAnswer(
            game_id=self.game_id,
            recorded=self.recorded,
            status=status,
            word=game.word,
            tries_remains=game.lives,
            guesses=game.guesses,
            wrong=game.wrong_letters,
            resigned=self.resigned,
            hinted=self.hinted,
            secret=game.secret if tells else None,
        )

    def answer_after(self, number: int) -> GameAnswer:
        """Return the answer right after the guess of that number, from 1; 0 for the beginning."""
        game = self.hangman
        earlier = Game(game.secret, game.max_wrong, game.guesses[:number])
        return replace(self, hangman=earlier, resigned=False).answer()
