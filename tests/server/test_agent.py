"""The agent: hints, games to watch, reviews, queues, and what it reveals of recorded games."""

import asyncio
import os
import threading
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import resource_tracker, spawn

import pytest

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.reviews import review_games
from hangman_lab.server import agent
from hangman_lab.server.access import Client
from hangman_lab.server.agent import AgentPlayer, Hint
from hangman_lab.server.settings import Settings
from tests.envs.hangman.referee import Referee
from tests.server.harness import API

BEGINNING = Game("zzyzx", Rules()).observations


def guess_next(observations):
    """Guess the first letter that has not been guessed."""
    letter = ALPHABET[int(observations["guessed"][0].argmin())]
    return Hint(letter=letter, probabilities={})


def ask(use, think=guess_next, review=lambda *game: "{}"):
    """Return what a coroutine function returns of an agent."""

    async def run():
        parts = think, review, partial(ThreadPoolExecutor, 1), Settings()
        with closing(AgentPlayer(*parts)) as player:
            return await use(player)

    return asyncio.run(run())


def test_identities_take_turns_round_robin():
    async def use(player):
        games = [asyncio.ensure_future(player.play("zzyzx", "an address")) for _ in range(12)]
        hint = asyncio.ensure_future(player.hint(BEGINNING, "alice"))
        done, _ = await asyncio.wait([*games, hint], return_when=asyncio.FIRST_COMPLETED)
        assert done == {hint}
        await asyncio.gather(*games)

    ask(use)


def test_a_full_queue_has_room_for_an_identity_with_few_turns(monkeypatch):
    monkeypatch.setattr(agent, "_MAX_QUEUED", 8)

    async def use(player):
        asked = ["greedy"] * 10 + ["greedy too"] * 5 + ["alice", "bob", "alice"]
        answers = await asyncio.gather(
            *(player.hint(BEGINNING, who) for who in asked), return_exceptions=True
        )
        return [getattr(answer, "status_code", 200) for answer in answers]

    expected = [200] * 8 + [429] * 2 + [200] * 4 + [429] + [200] * 3
    assert ask(use) == expected


def test_reviews_are_queued_like_hints_and_a_refused_one_is_not_kept(monkeypatch):
    monkeypatch.setattr(agent, "_MAX_QUEUED", 8)
    monkeypatch.setattr(agent, "_MAX_REVIEWS", 5)
    reviewed = []

    def review(word, letters, max_wrong):
        reviewed.append(letters)
        return letters

    async def use(player):
        async def ask(letter):
            return await player.review("_", letter, 6, "alice")

        hints = [player.hint(BEGINNING, "alice") for _ in range(3)]
        # The last two are one game's.
        answers = await asyncio.gather(*hints, *map(ask, "abcdefgee"), return_exceptions=True)
        codes = [getattr(answer, "status_code", 200) for answer in answers]
        assert codes == [200] * 8 + [429] * 2 + [200] * 2
        assert await ask("f") == "f"
        assert "".join(reviewed) == "abcdef"
        assert player.review.cache_info().currsize <= 5
        # The oldest has made room.
        assert [await ask("e"), await ask("a")] == ["e", "a"]
        assert "".join(reviewed) == "abcdefa"

    ask(use, review=review)


def test_the_guests_of_a_network_are_one_identity(start, dictionary):
    services = start(agent=dictionary).services
    for token, identity in (("guest_1", "2001:db8::/48"), ("hm_1", "hm_1")):
        assert Client(services, "2001:db8:0:ff::1", token).take_turn()[1] == identity


@pytest.mark.parametrize("hangs", [False, True])
def test_a_process_that_ends_or_hangs_is_replaced(monkeypatch, hangs):
    monkeypatch.setattr(agent, "_SECONDS", 0.5)
    go_on, asked = threading.Event(), []

    def think(observations):
        asked.append(observations)
        # The first hint loads the agent, the third that of the new process.
        if len(asked) == 2 and not hangs:
            raise BrokenExecutor
        go_on.wait({2: 30, 3: 0.2}.get(len(asked), 0))
        return guess_next(observations)

    async def use(player):
        # The second waits for the first, and both have one timeout.
        hints = [player.hint(BEGINNING, "alice") for _ in range(2)]
        refused, waited = await asyncio.gather(*hints, return_exceptions=True)
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert getattr(waited, "status_code", 200) == (503 if hangs else 200)
        assert (await player.hint(BEGINNING, "alice")).letter == "a"
        go_on.set()

    ask(use, think)


def test_a_process_that_reads_nothing_holds_up_no_request(monkeypatch, tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o700)
    resource_tracker.ensure_running()
    monkeypatch.setattr(spawn, "_python_exe", os.fsencode(program))
    # More words than a pipe holds.
    words = "word " * 100_000
    load = partial(agent.start_loading, "dictionary", None, words, words, Settings())
    made: Future[AgentPlayer] = Future()
    make = partial(AgentPlayer, guess_next, str, load, Settings())
    threading.Thread(target=lambda: made.set_result(make()), daemon=True).start()
    with closing(made.result(30)) as player:
        assert not player.loading[0].done()


def test_a_hint_has_the_guess_and_the_probabilities_of_the_agent(start_with_player, dictionary):
    server, token = start_with_player(agent=dictionary, practice=["apple"])
    game = server.new_game(token)
    server.guess(token, game, "pzeo")
    hint = server.hint(token, game).json()
    expected = dictionary.letter_probabilities(parse_observation("_pp_e", "zo", 6))[0]
    assert hint["letter"] == "a"
    assert hint["probabilities"] == dict(zip(ALPHABET, expected.tolist(), strict=True))


@pytest.mark.parametrize(
    ("letters", "masked"), [("pxaqle", "apple"), ("zzxbcdpf", "_pp__"), ("p", "_pp__")]
)
def test_a_review_has_the_numbers_of_a_finished_game(
    start_with_player, dictionary, letters, masked
):
    server, token = start_with_player(agent=dictionary, words=["apple"], withheld=True)
    game = server.new_game(token, recorded=True)
    path = f"{API}/games/{game}/review"
    running = {"error": "no review: the game is not over"}
    for letter in letters:
        refused = server.get(path, token)
        assert (refused.status_code, refused.json()) == (409, running)
        server.guess(token, game, letter)
    server.resign(token, game)
    state = server.state(token, game)
    assert state["word"] == masked
    others = server.get(path, server.token("bob")), server.get(path, server.guest())
    assert [answer.status_code for answer in (*others, server.get(path))] == [404, 404, 401]
    answer = server.get(path, token)
    assert answer.content == server.get(path, token).content
    assert server.services.agent.review.cache_info()[:2] == (1, 1)  # hits and misses
    expected = review_games(dictionary, ["apple"], ["apple"], [state["guesses"]], Rules())
    expected = expected.drop(columns=["game", "turn"])
    assert answer.json() == {"guesses": expected.to_dict("records")}
    assert "apple" not in answer.text


def test_a_game_without_guesses_has_no_review(start_with_player, dictionary):
    server, token = start_with_player(agent=dictionary)
    game = server.new_game(token)
    server.resign(token, game)
    answer = server.get(f"{API}/games/{game}/review", token)
    refusal = {"error": "no review: the game has no guesses"}
    assert (answer.status_code, answer.json()) == (409, refusal)


def test_the_agent_plays_a_word_of_the_server_by_the_rules(start, dictionary):
    server = start(agent=dictionary, practice=["banana"])
    game = server.post(f"{API}/agent-games", token=server.token()).json()
    assert game["secret"] == "banana"
    referee = Referee("banana")
    for turn in game["turns"]:
        assert not referee.over
        assert turn["letter"] not in referee.guessed
        referee.guess(turn["letter"])
    assert referee.over


def test_a_server_may_have_no_agent(start_with_player):
    server, token = start_with_player()
    assert server.get(f"{API}/server").json()["agent"] is None
    asked = server.hint(token, "0"), server.get(f"{API}/games/0/review", token)
    for answer in (*asked, server.post(f"{API}/agent-games", token=token)):
        assert (answer.status_code, answer.json()) == (404, {"error": "this server has no agent"})


def test_the_agent_reveals_nothing_of_recorded_games_without_hints(start_with_player, dictionary):
    server, token = start_with_player(
        agent=dictionary, words=["jazz"], practice=["noon"], recorded_hints="off"
    )
    guest = server.guest()
    practice, own = server.new_game(token), server.new_game(guest)
    game = server.new_game(token, recorded=True)

    def watch(token):
        return server.post(f"{API}/agent-games", token=token)

    # The recorded game, another player's, and games that may be like it.
    refused = [server.hint(token, game), server.hint(guest, game)]
    refused += [server.hint(token, practice), watch(token)]
    server.guess(token, practice, "no")
    refused.append(server.get(f"{API}/games/{practice}/review", token))
    assert [answer.status_code for answer in refused] == [403, 404, 409, 409, 409]
    # Other players have hints and can watch the agent, as this one after the recorded game.
    assert server.hint(guest, own).status_code == 200
    assert watch(guest).json()["secret"] == "noon"
    server.resign(token, game)
    assert server.get(f"{API}/leaderboard").json()["players"][0]["hinted"] == 0
    assert server.get(f"{API}/games/{practice}/review", token).status_code == 200
    assert server.hint(token, server.new_game(token)).status_code == 200
