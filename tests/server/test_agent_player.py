"""Whose turn it is when many ask the agent."""

import asyncio
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import pytest

from server.agent_player import AgentPlayer, Hint
from server.errors import RequestError


def guess_next(observations):
    """Guess the first letter that has not been guessed."""
    letter = "abcdefghijklmnopqrstuvwxyz"[int(observations["guessed"][0].argmin())]
    return Hint(letter, {})


def make_player(think=guess_next, **options):
    return AgentPlayer("next", think, lambda: ThreadPoolExecutor(1), **options)


def test_nobody_waits_for_a_strangers_long_games():
    async def ask():
        player = make_player()
        served = []

        async def play(name):
            await player.play("zzyzx", name)
            served.append(name)

        async def hint(name):
            await player.hint("_" * 5, "", name)
            served.append(name)

        await asyncio.gather(*(play("greedy") for _ in range(6)), hint("alice"), hint("bob"))
        player.close()
        return served

    # 36 turns of the other have been asked for.
    assert asyncio.run(ask())[:2] == ["alice", "bob"]


def test_the_turns_that_wait_are_bounded_for_one_and_for_all():
    async def ask():
        player = make_player(max_waiting=6, max_waiting_each=3)
        asked = [
            player.hint("_", "", name)
            for name in ("greedy",) * 6 + ("alice", "bob", "carol", "dan")
        ]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        player.close()
        return [answer.status if isinstance(answer, RequestError) else 200 for answer in answers]

    # One is being thought about.
    assert asyncio.run(ask()) == [200] * 4 + [429] * 2 + [200] * 3 + [503]


def test_a_process_that_ends_is_replaced():
    async def ask():
        executors = []

        def think(observations):
            if len(executors) == 1:
                raise BrokenExecutor
            return guess_next(observations)

        def make():
            executors.append(ThreadPoolExecutor(1))
            return executors[-1]

        player = AgentPlayer("next", think, make)
        with pytest.raises(RequestError) as refused:
            await player.hint("_", "", "alice")
        assert refused.value.status == 503
        assert (await player.hint("_", "", "alice")).letter == "a"
        player.close()

    asyncio.run(ask())


def test_a_pattern_with_all_letters_and_a_blank_is_refused():
    async def ask():
        player = make_player()
        with pytest.raises(RequestError, match="no letter is left for the blanks"):
            await player.hint("abcdefghijklmnopqrstuvwxyz_", "", "alice")
        player.close()

    asyncio.run(ask())
