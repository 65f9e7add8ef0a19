"""What is shown while something takes long, on a terminal and elsewhere."""

import io

import pytest
from rich.console import Console

from evaluation import progress as module
from evaluation.progress import GamesProgress, Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand: ``clock.now``."""

    class Clock:
        now = 0.0

    monkeypatch.setattr(module.time, "monotonic", lambda: Clock.now)
    return Clock


def terminal():
    return Console(width=80, file=io.StringIO(), force_terminal=True)


def plain():
    return Console(width=80, file=io.StringIO())


def shown(progress):
    console = plain()
    console.print(progress)
    return console.file.getvalue()


def test_a_terminal_has_a_row_per_task_with_the_time_left(clock):
    with Progress(terminal()) as progress:
        progress.add("posterior")
        progress.note("posterior", "counting")
        progress.add("PPO", 1000, "steps", 200)
        clock.now = 40
        progress.update("PPO", 600, "unseen 20.0%")
        posterior, ppo = shown(progress).splitlines()
    assert "counting" in posterior
    assert "/" not in posterior
    for part in ("PPO", "600/1,000", "0:40 left", "unseen 20.0%"):
        assert part in ppo


def test_games_are_counted_for_each_agent():
    with GamesProgress(terminal(), ["dictionary", "random"], 10) as progress:
        progress.count("dictionary", 4, 1)
        progress.count("dictionary", 4, 1)
        dictionary, random = shown(progress).splitlines()
    assert "8/10" in dictionary
    assert "25.0%" in dictionary
    assert "0/10" in random


def test_an_agents_time_begins_when_the_one_before_it_has_played(clock):
    with GamesProgress(terminal(), ["dictionary", "random"], 10) as progress:
        clock.now = 100
        progress.count("dictionary", 10, 1)
        clock.now = 110
        progress.count("random", 5, 1)
        assert "0:10 left" in shown(progress).splitlines()[1]


def test_without_a_terminal_a_line_tells_that_an_agent_has_played():
    console = plain()
    with GamesProgress(console, ["random"], 10) as progress:
        progress.count("random", 4, 0)
        progress.count("random", 6, 2)
    assert console.file.getvalue().splitlines() == [
        "random: 10 of 10 games, 0:00 left, win rate so far 20.0%"
    ]


def test_without_a_terminal_every_task_has_a_line_now_and_then(clock):
    console = plain()
    with Progress(console) as progress:
        progress.add("posterior")
        progress.note("posterior", "learning")
        progress.end("posterior")
        progress.add("PPO", 1000, "steps", 200)
        # No rate is known yet, and so no time left.
        for clock.now, steps in ((40, 200), (45, 300), (80, 600), (120, 1024)):
            progress.update("PPO", steps, f"{steps} done")
        progress.end("PPO")
    assert console.file.getvalue().splitlines() == [
        "posterior: learning",
        "PPO: 200 of 1,000 steps, 200 done",
        "PPO: 600 of 1,000 steps, 1:20 left, 600 done",
        "PPO: 1,000 of 1,000 steps, 0:00 left, 1024 done",
    ]


def test_the_oldest_tasks_that_have_ended_make_room_for_others():
    with Progress(terminal()) as progress:
        progress.add("all", 100)
        for number in range(50):
            progress.add(f"task {number}", 10)
            progress.end(f"task {number}")
        rows = shown(progress).splitlines()
    assert rows[0].startswith("all")
    assert rows[-1].startswith("task 49")
    assert len(rows) == 13
