"""What the commands show on a terminal, and in a pipe."""

import io

from rich.console import Console

from hangman_lab.terminal.console import make_progress, stage


def test_the_bar_of_a_stage_that_is_over_is_gone():
    console = Console(file=io.StringIO(), force_terminal=True)
    with make_progress(console) as progress, stage(progress, "posterior", 2, "steps") as advance:
        advance(1, "posterior: n-grams")
        (task,) = progress.tasks
        assert (task.description, task.completed) == ("posterior: n-grams", 1)
    assert not progress.tasks


def test_a_pipe_has_a_line_for_each_description_and_at_the_end():
    console = Console(file=io.StringIO(), force_terminal=False)
    with make_progress(console) as progress:
        with stage(progress, "posterior", 2, "steps") as advance:
            advance(1, "posterior: n-grams")
            advance(1)
        with stage(progress, "loading", 1, unit=""):
            pass
    assert console.file.getvalue() == "posterior: n-grams\nposterior: 2 steps done\n"
