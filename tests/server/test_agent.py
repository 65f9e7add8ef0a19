"""The agent: hints, games to watch, whose turn it is, and what it tells of recorded games."""

import asyncio
from collections import Counter
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.server import agent
from hangman_lab.server.agent import AgentPlayer, Hint
from hangman_lab.server.errors import RequestError
from hangman_lab.server.players import Player
from hangman_lab.server.settings import Settings
from tests.server.harness import API, WORDS, ClockStopped
from tests.server.load import LETTERS


@pytest.fixture
def dictionary():
    return make_agent("dictionary").fit(WORDS)


def guess_next(observations):
    """Guess the first letter that has not been guessed."""
    letter = "abcdefghijklmnopqrstuvwxyz"[int(observations["guessed"][0].argmin())]
    return Hint(letter=letter, probabilities={})


def ask(use, think=guess_next, make_executor=lambda: ThreadPoolExecutor(1)):
    """Return what a coroutine function returns of an agent."""

    async def run():
        player = AgentPlayer("next", think, make_executor, Settings())
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


def test_a_full_queue_has_room_for_whoever_has_few_turns_in_it(monkeypatch):
    monkeypatch.setattr(agent, "_MAX_QUEUED", 8)

    async def use(player):
        asked = ["greedy"] * 10 + ["greedy too"] * 5 + ["alice", "bob", "alice"]
        answers = await asyncio.gather(
            *(player.hint("_", "", who) for who in asked), return_exceptions=True
        )
        return [getattr(answer, "status_code", 200) for answer in answers]

    expected = [200] * 8 + [429] * 2 + [200] * 4 + [429] + [200] * 3
    assert ask(use) == expected


def test_the_guests_of_a_network_take_turns_as_one(start):
    players = start().services.players
    for address, network in (("192.0.2.1", "192.0.2.1"), ("2001:db8:0:ff::1", "2001:db8::/48")):
        assert players.admit_agent(Player(1, None), address) == network
        assert players.admit_agent(Player(2, "alice"), address) == 2


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


def test_a_hint_has_a_probability_for_each_letter(start, dictionary):
    server = start(agent=dictionary)
    body = {"pattern": "_ pp _ e", "wrong": "i, o"}
    hint = server.post(f"{API}/hints", body, server.token()).json()
    assert hint["letter"] == "a"
    assert list(hint["probabilities"]) == list("abcdefghijklmnopqrstuvwxyz")
    assert all(0 <= probability <= 1 for probability in hint["probabilities"].values())
    assert all(hint["probabilities"][letter] == 0 for letter in "peio")


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("hints", {"pattern": "ap*le"}, "'*'"),
        ("hints", {"pattern": "apple"}, "no letter is hidden"),
        ("hints", {"pattern": "abcdefghijklmnopqrstuvwxyz_"}, "no letter is left for the blanks"),
        ("hints", {"pattern": "_____", "wrong": "bcdfgh"}, "lost at 6"),
        ("hints", {}, "pattern, game_id"),
        ("hints", {"pattern": "_", "game_id": "0"}, "pattern, game_id"),
        ("agent-games", {"word": "two words"}, "1 to 32 letters"),
        ("agent-games", {"word": "a" * 33}, "1 to 32 letters"),
    ],
)
def test_what_the_agent_cannot_play_is_explained(start, dictionary, path, body, said):
    server = start(agent=dictionary)
    answer = server.post(f"{API}/{path}", body, server.token())
    assert answer.status_code == 422
    assert said in answer.json()["error"]


@pytest.mark.parametrize("word", [" Mississippi", None])
def test_the_agent_plays_a_word_by_the_rules(start, dictionary, word):
    server = start(agent=dictionary, practice=["banana"])
    game = server.post(f"{API}/agent-games", {"word": word}, server.token()).json()
    secret = game["secret"]
    assert secret == ("banana" if word is None else "mississippi")
    guessed = ""
    for turn in game["turns"]:
        assert turn["letter"] not in guessed
        guessed += turn["letter"]
        shown = "".join(letter if letter in guessed else "_" for letter in secret)
        wrong = "".join(letter for letter in guessed if letter not in secret)
        assert (turn["word"], turn["wrong"]) == (shown, wrong)
        assert turn["tries_remains"] == 6 - len(wrong)
    assert game["status"] == ("success" if shown == secret else "failed")


def test_a_hint_counts_as_ten_more_requests(start, dictionary):
    server = start(agent=dictionary, address_rate=40)
    server.app.rates.clock = ClockStopped()
    token = server.token()
    # An unknown token counts as eight until it is known.
    assert server.post(f"{API}/games", {}, token).status_code == 201
    body = {"pattern": "_pple"}
    statuses = [server.post(f"{API}/hints", body, token).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert server.post(f"{API}/games", {}, token).status_code == 201


def test_a_server_may_have_no_agent(start):
    server = start()
    assert server.get(f"{API}/server").json()["agent"] is None
    for path, body in (("hints", {"pattern": "_"}), ("agent-games", {})):
        answer = server.post(f"{API}/{path}", body, server.token(path))
        assert (answer.status_code, answer.json()) == (404, {"error": "this server has no agent"})


def test_the_agent_tells_nothing_of_recorded_games_without_hints(start, dictionary):
    """A player and a guest of the same address ask for the next guess in every way there is."""
    server = start(agent=dictionary, words=WORDS[:6], practice=["noon"], recorded_hints="off")
    token, guest = server.token(), server.post(f"{API}/guests").json()["token"]
    practice = server.new_game(token)
    statuses, num_guesses = Counter(), 0
    for _ in range(25):
        game = server.new_game(token, recorded=True)
        state = server.get(f"{API}/games/{game}", token).json()
        while state["status"] == "ongoing":
            unused = next(letter for letter in "qxzjkvwy" if letter not in state["guesses"])
            for path, body in (
                ("hints", {"game_id": game}),
                ("hints", {"game_id": practice}),
                ("hints", {"pattern": state["word"], "wrong": state["wrong"]}),
                ("agent-games", {"word": state["word"].replace("_", unused)}),
            ):
                for asking in (token, guest):
                    statuses[server.post(f"{API}/{path}", body, asking).status_code] += 1
            assert server.post(f"{API}/agent-games", {}, token).status_code == 409
            letter = {"letter": LETTERS[len(state["guesses"])]}
            state = server.post(f"{API}/games/{game}/guesses", letter, token).json()
            num_guesses += 1
    # 403 for patterns and words, 409 for the player's own practice game, 404 for others' games.
    assert set(statuses) == {403, 404, 409}
    assert statuses.total() == 8 * num_guesses
    assert server.get(f"{API}/leaderboard").json()["players"][0]["hinted"] == 0
    # Practice games have hints, and the agent can be watched.
    own = {"game_id": server.new_game(guest)}
    assert server.post(f"{API}/hints", own, guest).status_code == 200
    assert server.post(f"{API}/agent-games", {}, guest).json()["secret"] == "noon"
    assert server.post(f"{API}/hints", {"game_id": practice}, token).status_code == 200


def test_hints_in_recorded_games_are_marked(start, dictionary):
    server = start(agent=dictionary, practice=["noon"])
    token = server.token()
    game = server.new_game(token, recorded=True)

    def statuses():
        asked = ("hints", {"pattern": "____"}), ("agent-games", {"word": "noon"})
        return [server.post(f"{API}/{path}", body, token).status_code for path, body in asked]

    # The agent takes nothing that could be of the recorded game.
    assert statuses() == [409, 409]
    assert server.post(f"{API}/agent-games", {}, token).status_code == 200
    for _ in range(2):
        assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 200
    assert server.post(f"{API}/hints", {"game_id": "0" * 32}, token).status_code == 404
    server.restart()
    assert server.get(f"{API}/games/{game}", token).json()["hinted"] is True
    (row,) = server.get(f"{API}/leaderboard").json()["players"]
    assert (row["games"], row["hinted"]) == (1, 1)
    server.post(f"{API}/games/{game}/resignation", token=token)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 409
    assert statuses() == [200, 200]
