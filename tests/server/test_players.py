"""Tokens, guests, and what their requests cost."""

from hangman_lab.server import store
from tests.server.harness import API, ClockStopped


def statuses_of(server, token, number):
    return [server.get(f"{API}/player", token).status_code for _ in range(number)]


def test_unknown_tokens_reach_the_database_a_few_times_only(start, monkeypatch):
    server = start(address_rate=80)
    server.app.rates.clock = ClockStopped()
    looked_up = []
    find_player = store.find_player

    def counting(connection, token_hash):
        looked_up.append(token_hash)
        return find_player(connection, token_hash)

    monkeypatch.setattr(store, "find_player", counting)
    assert statuses_of(server, "x", 14) == [401] * 10 + [429] * 4
    assert len(looked_up) == 10


def test_a_request_of_a_guest_counts_as_eight(start):
    server = start(address_rate=64)
    server.app.rates.clock = clock = ClockStopped()
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(2)]
    clock.now += 2.0
    assert [statuses_of(server, token, 4) for token in tokens] == [[200] * 4] * 2
    assert statuses_of(server, tokens[0], 1) == [429]
    # A token that is not a guest's counts as one, and shares the bucket of its address.
    clock.now += 2.0
    assert statuses_of(server, server.token(), 32) == [200] * 32
    assert statuses_of(server, server.token("bob"), 33) == [200] * 32 + [429]


def test_an_address_makes_guests_slowly(start):
    server = start(new_guest_rate=0.01)
    assert [server.post(f"{API}/guests").status_code for _ in range(5)] == [201] * 3 + [429] * 2
    # Whoever has a token plays on.
    server.new_game(server.token())


def test_a_token_that_was_replaced_is_refused_within_a_second(start):
    server = start()
    old = server.token()
    server.services.players._clock = clock = ClockStopped()
    assert statuses_of(server, old, 1) == [200]
    server.sql("UPDATE players SET token_hash = 'another hash'")
    clock.now += 1
    assert statuses_of(server, old, 1) == [401]
