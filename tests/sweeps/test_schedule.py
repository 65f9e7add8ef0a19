import math

import pytest
import yaml

from sweeps.schedule import Schedule
from sweeps.sweep_file import load_sweep


@pytest.fixture
def sweep(tmp_path, base_recipe, few_hundred_words):
    def load(**values):
        path = tmp_path / "sweep.yaml"
        path.write_text(yaml.safe_dump({"name": "tiny", "base": str(base_recipe)} | values))
        return load_sweep(path, words=str(few_hundred_words))

    return load


TPE = {
    "searcher": "tpe",
    "trials": 24,
    "seeds": 2,
    "points_at_once": 2,
    "space": {
        "ppo.learning_rate": {"loguniform": [1e-4, 1e-1]},
        "ppo.epochs": {"uniform": [1, 8]},
        "split.fractions": {"choice": [[0.9, 0.05, 0.05], [0.8, 0.1, 0.1]]},
    },
}


def judge(trial):
    """The win rate of a trial whose best learning rate is 0.01."""
    return 0.5 - 0.1 * abs(math.log10(trial.config.ppo.learning_rate) + 2) + 0.001 * trial.seed


def run_all(sweep, search, values, at_once, choose):
    """Run a sweep whose trials end in an order of ``choose``; return their names and options."""
    schedule = Schedule(sweep, search, lambda trial: values.get(trial.name))
    running, more = [], True
    while True:
        while more and len(running) < at_once:
            try:
                trial = schedule.next()
            except StopIteration:
                more = False
                break
            if trial is None:
                break
            running.append(trial)
        if not running:
            break
        ended = running.pop(choose(len(running)))
        values[ended.name] = judge(ended)
    return [(trial.name, trial.options) for trial in schedule.trials]


def test_trials_come_point_by_point_with_all_seeds(sweep):
    planned = sweep(space={"ppo.epochs": {"grid": [1, 2]}}, seeds=2)
    names = [name for name, _ in run_all(planned, None, {}, 3, lambda n: 0)]
    assert names == [f"point_00{point}_seed_{seed}" for point in (0, 1) for seed in (0, 1)]


def test_trials_that_have_ended_are_left_out_and_failed_ones_are_tried_again(sweep):
    planned = sweep(space={"ppo.epochs": {"grid": [1, 2]}}, seeds=2)
    values = {"point_000_seed_0": 0.4, "point_001_seed_0": math.nan}
    schedule = Schedule(planned, None, lambda trial: values.get(trial.name))
    left = [schedule.next().name for _ in range(3)]
    assert left == ["point_000_seed_1", "point_001_seed_0", "point_001_seed_1"]
    with pytest.raises(StopIteration):
        schedule.next()


def tpe(planned):
    from sweeps.tuning import OptunaPoints

    return OptunaPoints(planned.domains, planned.config.search_seed)


@pytest.mark.slow
def test_the_points_of_tpe_do_not_depend_on_which_trial_ends_first(sweep):
    planned = sweep(**TPE)
    first = run_all(planned, tpe(planned), {}, 4, lambda n: 0)
    assert run_all(planned, tpe(planned), {}, 4, lambda n: n - 1) == first
    assert run_all(planned, tpe(planned), {}, 1, lambda n: 0) == first
    # What it chose first it chooses again when half of the trials have ended before.
    values = {}
    run_all(planned, tpe(planned), values, 2, lambda n: 0)
    kept = dict(list(values.items())[:11])
    assert run_all(planned, tpe(planned), kept, 4, lambda n: 0) == first


@pytest.mark.slow
def test_tpe_finds_better_points_as_it_goes_on(sweep):
    gains = []
    for search_seed in range(5):
        planned = sweep(**TPE | {"trials": 60, "seeds": 1, "search_seed": search_seed})
        values = {}
        run_all(planned, tpe(planned), values, 1, lambda n: 0)
        rates = list(values.values())
        gains.append(sum(rates[-20:]) / 20 - sum(rates[:20]) / 20)
    # Points drawn at random gain 0.007 in the mean of eight seeds.
    assert sum(gains) / len(gains) > 0.03


@pytest.mark.slow
def test_a_point_whose_trials_failed_does_not_stop_the_search(sweep):
    planned = sweep(**TPE | {"trials": 6, "seeds": 1})
    values = {"point_000_seed_0": math.nan}
    schedule = Schedule(planned, tpe(planned), lambda trial: values.get(trial.name))
    for _ in range(6):
        trial = schedule.next()
        values.setdefault(trial.name, judge(trial))
    with pytest.raises(StopIteration):
        schedule.next()
