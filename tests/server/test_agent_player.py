"""Whose turn it is when many ask the agent."""

import asyncio
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import pytest

from server.agent_player import AgentPlayer, Hint, Thinker
from server.errors import RequestError
from server.settings import Settings


def guess_next(observations):
    """Guess the first letter that has not been guessed."""
    letter = "abcdefghijklmnopqrstuvwxyz"[int(observations["guessed"][0].argmin())]
    return Hint(letter=letter, probabilities={})


def make_player(think=guess_next, **options):
    thinker = Thinker("next", think, lambda: ThreadPoolExecutor(1))
    return AgentPlayer(Settings(**options), thinker)


def test_nobody_waits_for_a_strangers_long_games():
    async def ask():
        player = make_player()
        served = []

        async def play(*who):
            await player.play("zzyzx", who)
            served.append(who)

        async def hint(*who):
            await player.hint("_" * 5, "", who)
            served.append(who)

        guests = (play("an address", number) for number in range(12))
        await asyncio.gather(*guests, hint("alice", "alice"), hint("an address", "another guest"))
        player.close()
        return served

    # 72 turns of the others have been asked for.
    assert asyncio.run(ask())[:2] == [("alice", "alice"), ("an address", "another guest")]


def test_the_turns_that_wait_are_bounded_for_one_for_a_group_and_for_all():
    async def ask():
        player = make_player(agent_waiting=8, agent_waiting_each=3)
        guests = [("an address", "greedy")] * 6 + [("an address", name) for name in "abc"]
        others = [(name, name) for name in ("alice", "bob", "carol", "dan", "eve")]
        asked = [player.hint("_", "", who) for who in (*guests, *others)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        player.close()
        return [
            answer.status_code if isinstance(answer, RequestError) else 200 for answer in answers
        ]

    # One is being thought about.
    guests = [200] * 4 + [429] * 2 + [200] + [503] * 2
    assert asyncio.run(ask()) == guests + [200] * 4 + [503]


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

        player = AgentPlayer(Settings(), Thinker("next", think, make))
        with pytest.raises(RequestError) as refused:
            await player.hint("_", "", ("alice", "alice"))
        assert refused.value.status_code == 503
        assert (await player.hint("_", "", ("alice", "alice"))).letter == "a"
        player.close()

    asyncio.run(ask())


def test_a_pattern_with_all_letters_and_a_blank_is_refused():
    async def ask():
        player = make_player()
        with pytest.raises(RequestError, match="no letter is left for the blanks"):
            await player.hint("abcdefghijklmnopqrstuvwxyz_", "", ("alice", "alice"))
        player.close()

    asyncio.run(ask())
