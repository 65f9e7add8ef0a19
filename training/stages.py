"""Stages of a training run: baselines, the posterior, PPO, the final games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import make_agent
from agents.posterior.posterior import LetterPosterior, UniformPosterior, load_posterior
from agents.posterior.prior import DEFAULT_KNOWN
from agents.ppo.agent import PPOAgent, load_network
from envs.errors import InputError
from envs.words import hash_words
from evaluation.arena import play
from evaluation.comparison import Match, compare_agents
from evaluation.tables import agents_table, print_table
from runs.directory import write_atomically
from runs.words import draw_words
from training.callbacks import BetweenRollouts
from training.posterior import hold_back
from training.ppo import make_model, set_state
from training.tensorboard import flatten

if TYPE_CHECKING:
    from training.run import TrainingRun

Posterior = LetterPosterior | UniformPosterior
_BASELINES = ("dictionary", "random")
# Train words that are played at the end.
_NUM_KNOWN = 10_000


def play_baselines(training: TrainingRun, step: int) -> None:
    """Play the valid words with agents that need no training, as levels beside the curves."""
    config, name = training.config, "baselines"
    valid = draw_words(training.parts["valid"], config.validation.games)
    training.progress.add(name, len(_BASELINES) * len(valid))
    levels = {}
    for baseline in _BASELINES:
        agent = make_agent(baseline, config.seed).fit(training.parts["train"])
        played = play(
            agent,
            valid,
            config.env.max_wrong,
            progress=lambda games, won: training.progress.advance(name, games),
        )
        levels[baseline] = float(played.won.mean())
    training.progress.end(name)
    training.log.baselines(levels, step)


def make_posterior(training: TrainingRun) -> None:
    """Write the posterior of all train words, and that of the words that are not held back."""
    run = training.run
    if not training.config.posterior.enabled:
        for path in (run.posterior, run.held_back_posterior):
            write_atomically(path, UniformPosterior().save)
        return
    training.progress.add("posterior")
    training.write_posterior()
    training.progress.end("posterior", "fitted")
    training.save("ppo", {})


def train_policy(training: TrainingRun, posterior: Posterior, state: dict[str, Any]) -> None:
    """Train the policy network; keep the one that wins most valid games.

    Raises
    ------
    InputError
        If the state is not that of a learner of the run's config.
    """
    config, run = training.config, training.run
    held_back, others = hold_back(training.parts["train"])
    model = make_model(config, load_posterior(run.held_back_posterior), held_back, others)
    model.set_logger(training.log.logger())
    best = -1.0
    if state:
        try:
            set_state(model, state["ppo"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            detail = " ".join(str(error).split())
            raise InputError(
                f"{run.checkpoint}: does not fit the run's config ({detail})"
            ) from error
        best = state["best"]
    training.progress.add("PPO", config.ppo.steps, "steps", model.num_timesteps)
    callback = BetweenRollouts(training, model, posterior.with_known(config.ppo.known), best)
    left = config.ppo.steps - model.num_timesteps
    if left > 0:
        model.learn(left, callback=callback, reset_num_timesteps=False)
    callback.at_boundary(last=True)
    training.progress.end("PPO")


def play_final_games(training: TrainingRun, posterior: Posterior) -> dict[str, Any]:
    """Play the final words: unseen ones, known ones, and unseen ones that cannot be known."""
    config, run = training.config, training.run
    network = load_network(run.policy)
    dictionary = make_agent("dictionary").fit(training.parts["train"])
    hashes = hash_words(training.parts["train"])
    evaluations = {}
    for name, part, known in (
        ("unseen", config.final_split, DEFAULT_KNOWN),
        ("known", "train", DEFAULT_KNOWN),
        ("excluded", config.final_split, 0.0),
    ):
        believed = posterior.with_known(known)
        agents = {
            "ppo": PPOAgent(believed, network),
            "posterior": believed,
            "dictionary": dictionary,
            "random": make_agent("random", config.seed),
        }
        words = training.parts[part]
        if part == "train":
            words = draw_words(words, _NUM_KNOWN)
        task = f"final games, {part} words, known {known:g}"
        training.progress.add(task, len(agents) * len(words))
        match = Match(
            agents,
            words,
            training.word_list,
            part,
            config.seed,
            config.env.max_wrong,
            known=known,
            known_words=hashes,
            fitted_words=dict.fromkeys(("ppo", "posterior", "dictionary"), hashes),
        )
        evaluations[name], _ = compare_agents(
            match,
            lambda agent, games, won, task=task: training.progress.advance(task, games),
        )
        training.progress.end(task)
        print_table(training.console, agents_table(evaluations[name]))
    final = {
        f"final/{agent}_{name}_win_rate": figures["win_rate"]
        for name, evaluation in evaluations.items()
        for agent, figures in evaluation["agents"].items()
    }
    training.log.hyperparameters(flatten(config.model_dump()), final, config.ppo.steps)
    # The last file: where it is, the run is complete.
    evaluation = evaluations.pop("unseen") | evaluations
    run.write_evaluation(evaluation)
    return evaluation
