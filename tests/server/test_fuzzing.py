"""Requests made up from the server's own description, and walks through games.

Schemathesis makes requests that fit the OpenAPI description and requests that do not; Hypothesis
walks through games, with retries and restarts, and compares every answer with the plain rules.
"""

import os

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.app import create_app
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings
from tests.envs.hangman.referee import Referee
from tests.server.harness import API, CHALLENGE, Harness
from tests.server.load import add_token, serving

pytestmark = pytest.mark.slow

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
WORD = "zyzzyva"
# Of each operation and mode.
EXAMPLES = 20
# The description needs neither words nor a database.
WITHOUT_WORDS = ServedWords((), (), (), "")
DESCRIPTION = create_app(WITHOUT_WORDS, AgentPlayer(Settings()), Settings()).app.openapi()
OPERATIONS = {
    operation.ok().label: operation.ok()
    for operation in schemathesis.openapi.from_dict(DESCRIPTION).get_all_operations()
}
# These have nothing that the description could rule out: any text may be the id of a game.
WITHOUT_VALUES = {
    f"GET {API}/server",
    f"GET {API}/leaderboard",
    f"POST {API}/guests",
    f"GET {API}/player",
    f"GET {API}/games/{{game_id}}",
    f"POST {API}/games/{{game_id}}/resignation",
    "GET /trexsim/hangman/my_status",
}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A server with generous rates: (process, address, token)."""
    path = tmp_path_factory.mktemp("fuzzed") / "games.sqlite3"
    options = ("--address-rate=1e9", "--open-games=100000")
    with serving(path, "--agent", "dictionary", *options, words=[WORD]) as (process, address):
        yield process, address, add_token(path, "alice")
        counted = requests.get(f"{address}/metrics", timeout=30).text
    assert 'status="200"' in counted
    assert 'status="5' not in counted


@pytest.mark.parametrize(
    ("label", "mode"),
    [
        (label, mode)
        for label in OPERATIONS
        for mode in GenerationMode
        if not (mode is GenerationMode.NEGATIVE and label in WITHOUT_VALUES)
    ],
)
def test_every_answer_is_as_described(label, mode, fuzzed):
    operation = OPERATIONS[label]
    process, address, token = fuzzed
    headers = {"Authorization": f"Bearer {token}"}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data(), is_known=st.booleans())
    def fuzz(data, is_known):
        fixed = {"headers": headers}
        if is_known and "game_id" in operation.path:
            begun = requests.post(f"{address}{API}/games", json={}, headers=headers, timeout=30)
            fixed["path_parameters"] = {"game_id": begun.json()["game_id"]}
        if operation.path.startswith(CHALLENGE):
            fixed["query"] = {"access_token": token}
        case = data.draw(operation.as_strategy(mode, **fixed))
        response = case.call_and_validate(base_url=address, checks=CHECKS)
        answer = response.json()
        if response.status_code >= 400:
            assert list(answer) == ["error"]
            assert "\n" not in answer["error"]
        over = isinstance(answer, dict) and answer.get("status") in ("success", "failed")
        assert over or WORD not in response.text
        assert process.process.poll() is None

    fuzz()


class Games(RuleBasedStateMachine):
    """One player's games: what the server answers, and what the plain rules say."""

    folder = None
    begun = Bundle("begun")

    def __init__(self):
        super().__init__()
        path = self.folder / f"{os.urandom(8).hex()}.sqlite3"
        self.server = Harness(path, words=("noon", "ox", "jazz", "letter"))
        self.token = self.server.token()
        self.other = self.server.token("bob")
        self.referees = {}
        self.recorded = set()
        self.resigned = set()
        self.last = None

    def teardown(self):
        self.server.close()

    @rule(target=begun, recorded=st.booleans(), keyed=st.booleans())
    def begin(self, recorded, keyed):
        key = os.urandom(8).hex() if keyed else None
        request = f"{API}/games", {"recorded": recorded}, self.token, key
        answer = self.server.post(*request)
        assert answer.status_code == 201
        game = answer.json()["game_id"]
        assert game not in self.referees
        self.referees[game] = Referee(self.server.secret(game), repeated_guess="free")
        if recorded:
            self.recorded.add(game)
        self._check(game, answer.json())
        if keyed:
            self.last = request, answer
        return game

    def _check(self, game, answer):
        referee = self.referees[game]
        resigned = game in self.resigned
        status = "success" if referee.won else "failed" if referee.lost or resigned else "ongoing"
        assert answer["status"] == status
        assert answer["word"] == referee.shown
        assert answer["tries_remains"] == referee.lives
        assert sorted(answer["guesses"]) == sorted(referee.guessed)
        assert answer["wrong"] == "".join(
            letter for letter in answer["guesses"] if letter not in referee.word
        )
        assert answer["secret"] == (None if status == "ongoing" else referee.word)
        assert answer["recorded"] == (game in self.recorded)

    @rule(
        game=begun,
        letter=st.sampled_from("abcdefghijklmnopqrstuvwxyzLETRNOX"),
        keyed=st.booleans(),
    )
    def guess(self, game, letter, keyed):
        key = os.urandom(8).hex() if keyed else None
        request = f"{API}/games/{game}/guesses", {"letter": letter}, self.token, key
        referee = self.referees[game]
        was_over = referee.over or game in self.resigned
        is_new = letter.lower() not in referee.guessed
        answer = self.server.post(*request)
        if was_over:
            assert answer.status_code == 409
            return
        assert answer.status_code == 200
        referee.guess(letter.lower())
        self._check(game, answer.json())
        if keyed and is_new:
            self.last = request, answer

    @precondition(lambda self: self.last)
    @rule()
    def repeat(self):
        request, first = self.last
        answer = self.server.post(*request)
        assert (answer.status_code, answer.json()) == (first.status_code, first.json())

    @rule(game=begun)
    def resign(self, game):
        answer = self.server.post(f"{API}/games/{game}/resignation", token=self.token)
        if self.referees[game].over:
            assert answer.status_code == 409
            return
        self.resigned.add(game)
        self._check(game, answer.json())

    @rule(game=begun)
    def look(self, game):
        path = f"{API}/games/{game}"
        self._check(game, self.server.get(path, self.token).json())
        assert self.server.get(path, self.other).status_code == 404

    @rule()
    def count(self):
        won = {game for game, referee in self.referees.items() if referee.won}
        over = {game for game, referee in self.referees.items() if referee.over} | self.resigned
        practice = set(self.referees) - self.recorded
        sets = practice, self.recorded, won & self.recorded, won & practice
        assert self.server.status(self.token) == [*map(len, sets)]
        listed = self.server.get(f"{API}/games", self.token).json()["game_ids"]
        assert sorted(listed) == sorted(set(self.referees) - over)

    @rule()
    def restart(self):
        self.server.restart()


def test_games_go_by_the_plain_rules_through_retries_and_restarts(tmp_path):
    Games.folder = tmp_path
    run_state_machine_as_test(
        Games,
        settings=settings(max_examples=12, stateful_step_count=25, deadline=None, derandomize=True),
    )
