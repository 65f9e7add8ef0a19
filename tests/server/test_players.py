"""Tokens, rates and guests."""

from sqlalchemy import select

from server import store
from tests.server.harness import API, WIRE, ClockStopped


def test_requests_above_the_rate_of_a_token_wait(sqlite_start):
    server = sqlite_start(request_rate=10.0, request_burst=3.0)
    server.services.players._clock = clock = ClockStopped()
    token, other = server.token(), server.token("bob")
    answers = [server.get(f"{WIRE}/my_status", access_token=token) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].headers["Retry-After"] == "1"
    assert answers[-1].json()["error"].startswith("too many requests")
    assert server.get(f"{WIRE}/my_status", access_token=other).status_code == 200
    clock.now += 0.1
    answers = [server.get(f"{WIRE}/my_status", access_token=token) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


def test_unknown_tokens_reach_the_database_a_few_times_only(sqlite_start, monkeypatch):
    server = sqlite_start(address_rate=0.001, address_burst=5.0)
    token = server.token()
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200
    looked_up = []
    find_player = store.find_player

    def counting(connection, token_hash):
        looked_up.append(token_hash)
        return find_player(connection, token_hash)

    monkeypatch.setattr(store, "find_player", counting)
    answers = [server.get(f"{WIRE}/my_status", access_token=f"x{i}") for i in range(9)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 4
    assert len(looked_up) == 5
    # One that is known is no guess.
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200


def test_guests_are_forgotten_when_there_are_too_many_and_they_are_idle(start):
    server = start(guests=2, guest_hours=0.0, words=["a"])
    first = server.post(f"{API}/guests").json()["token"]
    server.play(first)
    server.post(f"{API}/guests")
    third = server.post(f"{API}/guests")
    assert third.status_code == 201
    assert server.count(store.players) == 1
    assert server.count(store.games) == server.count(store.guesses) == 0


def test_guests_that_are_not_idle_are_kept(start):
    server = start(guests=1, words=["a"])
    token = server.post(f"{API}/guests").json()["token"]
    server.play(token)
    refused = server.post(f"{API}/guests")
    assert refused.status_code == 503
    assert "too many guests" in refused.json()["error"]
    assert server.play(token)["status"] == "success"


def test_a_token_that_was_replaced_is_refused_within_a_second(start):
    server = start()
    old = server.token()
    server.services.players._clock = clock = ClockStopped()
    assert server.get(f"{WIRE}/my_status", access_token=old).status_code == 200
    with server.engine.begin() as connection:
        assert store.replace_token(connection, "alice", "another hash")
    clock.now += 1
    assert server.get(f"{WIRE}/my_status", access_token=old).status_code == 401


def test_the_number_of_a_forgotten_guest_is_nobody_elses(start):
    server = start(guests=2, guest_hours=0.0, words=["a", "letter"])
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(2)]
    games = [server.new_game(token) for token in tokens]
    server.post(f"{API}/guests")
    alice = server.token("alice")
    assert server.status(alice) == [0, 0, 0, 0]
    assert server.guess(alice, games[0], "e").status_code == 404
    server.new_game(alice, recorded=True)
    with server.engine.connect() as connection:
        assert connection.scalar(select(store.players.c.id).filter_by(name="alice")) == 4


def test_guests_that_never_played_make_room_first(start, monkeypatch):
    server = start(guests=2, words=["a"])
    token = server.post(f"{API}/guests").json()["token"]
    server.play(token)
    server.post(f"{API}/guests")
    assert server.post(f"{API}/guests").status_code == 503
    monkeypatch.setattr("server.players._UNUSED_GUEST_SECONDS", 0.0)
    assert server.post(f"{API}/guests").status_code == 201
    assert server.play(token)["status"] == "success"


def test_an_address_makes_guests_slowly(sqlite_start):
    server = sqlite_start(new_guest_burst=3.0, new_guest_rate=0.001)
    statuses = [server.post(f"{API}/guests").status_code for _ in range(5)]
    assert statuses == [201] * 3 + [429] * 2
    # Whoever has a token plays on.
    server.new_game(server.token())


def test_guests_of_one_address_share_its_bucket(sqlite_start):
    server = sqlite_start(guest_address_burst=4.0, guest_address_rate=0.001)
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(6)]
    statuses = [server.get(f"{WIRE}/my_status", access_token=token).status_code for token in tokens]
    assert statuses == [200] * 4 + [429] * 2
    assert server.get(f"{WIRE}/my_status", access_token=server.token()).status_code == 200


def test_players_that_are_not_kept_in_memory_go_on(start, monkeypatch):
    monkeypatch.setattr("server.players._MAX_TOKENS", 1)
    server = start(words=["a"])
    tokens = [server.token(name) for name in ("alice", "bob")]
    for _ in range(3):
        for token in tokens:
            assert server.play(token, recorded=True)["status"] == "success"
    assert [server.status(token) for token in tokens] == [[0, 3, 3, 0]] * 2
    assert len(server.services.players._players) == 1
