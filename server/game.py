"""A player's game, and its state as the player may know it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, Field

from hangman_lab.envs.hangman.game import Game

Status = Literal["ongoing", "success", "failed"]


class GameAnswer(BaseModel):
    """The state of a game."""

    game_id: str
    recorded: bool
    status: Status
    word: str = Field(pattern="^[a-z_]+$", description="_ for each hidden letter")
    tries_remains: int = Field(ge=0)
    guesses: str = Field(pattern="^[a-z]*$", description="the letters in order")
    wrong: str = Field(pattern="^[a-z]*$", description="those that are not in the word")
    resigned: bool
    hinted: bool = Field(description="whether the agent gave a hint")
    secret: str | None = Field(description="null before the end, and for withheld words")


@dataclass(eq=False)
class PlayerGame:
    """A game with what is stored of it."""

    game_id: str
    player_id: int
    hangman: Game
    # Idempotency keys of the guesses.
    keys: list[str | None] = field(default_factory=list)
    recorded: bool = False
    # The word of a lost game is not revealed.
    withheld: bool = False
    resigned: bool = False
    hinted: bool = False
    # Held by the request that uses the game.
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def kind(self) -> Literal["recorded", "practice"]:
        """Recorded games count on the leaderboard."""
        return "recorded" if self.recorded else "practice"

    @property
    def status(self) -> Status:
        """The status of the game."""
        if self.hangman.won:
            return "success"
        return "failed" if self.resigned or self.hangman.over else "ongoing"

    def answer(self) -> GameAnswer:
        """Return what the player may know: the secret only after the end."""
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
        """Return the state after ``number`` guesses."""
        game = self.hangman
        earlier = Game(game.secret, game.max_wrong, game.guesses[:number])
        return replace(self, hangman=earlier, resigned=False).answer()
