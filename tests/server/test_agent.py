"""Whose turn it is when many ask the agent."""

import asyncio
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import pytest

from hangman_lab.server import agent
from hangman_lab.server.agent import AgentPlayer, Hint
from hangman_lab.server.errors import RequestError
from hangman_lab.server.settings import Settings


def guess_next(observations):
    """Guess the first letter that has not been guessed."""
    letter = "abcdefghijklmnopqrstuvwxyz"[int(observations["guessed"][0].argmin())]
    return Hint(letter=letter, probabilities={})


def ask(use, think=guess_next, make_executor=lambda: ThreadPoolExecutor(1)):
    """Return what a coroutine function returns of an agent."""

    async def run():
        player = AgentPlayer(Settings(), "next", think, make_executor)
        try:
            return await use(player)
        finally:
            player.close()

    return asyncio.run(run())


def test_nobody_waits_for_a_strangers_long_games():
    async def use(player):
        served = []

        async def play():
            await player.play("zzyzx", "an address")
            served.append("an address")

        async def hint():
            await player.hint("_" * 5, "", "alice")
            served.append("alice")

        await asyncio.gather(*(play() for _ in range(12)), hint())
        return served

    # 72 turns of the address have been asked for.
    assert ask(use)[0] == "alice"


def test_the_turns_asked_for_are_bounded_for_one_and_for_all(monkeypatch):
    monkeypatch.setattr(agent, "_MAX_ASKED", 7)
    monkeypatch.setattr(agent, "_MAX_ASKED_EACH", 4)

    async def use(player):
        asked = ["greedy"] * 6 + ["alice", "bob", "carol", "dan"]
        answers = await asyncio.gather(
            *(player.hint("_", "", who) for who in asked), return_exceptions=True
        )
        return [getattr(answer, "status_code", 200) for answer in answers]

    assert ask(use) == [200] * 4 + [429] * 2 + [200] * 3 + [503]


def test_a_process_that_ends_is_replaced():
    executors = []

    def think(observations):
        if len(executors) == 1:
            raise BrokenExecutor
        return guess_next(observations)

    def make():
        executors.append(ThreadPoolExecutor(1))
        return executors[-1]

    async def use(player):
        with pytest.raises(RequestError) as refused:
            await player.hint("_", "", "alice")
        assert refused.value.status_code == 503
        assert (await player.hint("_", "", "alice")).letter == "a"

    ask(use, think, make)
