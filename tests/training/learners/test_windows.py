"""PPO alone: the words of its games, and its learning rate."""

import pytest

from hangman_lab.envs.encoding import ALPHABET


def test_it_plays_all_train_words(make_model):
    env = make_model(tuple(ALPHABET), "learner.num_envs=512").env
    env.reset()
    assert set(env.get_attr("secret")) == {*ALPHABET}


@pytest.mark.parametrize("steps", [48, 45])
def test_the_learning_rate_falls_evenly_and_the_last_update_learns(make_model, few_words, steps):
    """Three rollouts of 16 steps, the last of which may be longer than what is left."""
    options = (
        f"learner.steps={steps} learner.num_envs=4 learner.rollout_steps=4 learner.batch_size=16"
    )
    model = make_model(few_words, options)
    # Stable-Baselines3 counts the steps of a rollout before its update.
    first, second, last = (model.lr_schedule(1 - 16 * update / steps) for update in (1, 2, 3))
    assert first == pytest.approx(1e-3)
    assert first - second == pytest.approx(second - last)
    assert second > last > 0


def test_the_model_has_the_options_of_the_config(make_model, few_words):
    options = """
        seed=7 discount=0.9 learner.num_envs=4 learner.rollout_steps=8 learner.batch_size=16
        learner.epochs=3 learner.gae_lambda=0.8 learner.entropy_coefficient=0.02 learner.context=5
        learner.prediction_rate=0.05 learner.steps=32
    """
    model = make_model(few_words, options)
    assert (model.seed, model.gamma, model.gae_lambda, model.ent_coef) == (7, 0.9, 0.8, 0.02)
    assert (model.n_envs, model.n_steps, model.batch_size, model.n_epochs) == (4, 8, 16, 3)
    assert model.policy.module.sizes == {"context": 5, "log_rows": 9}
    # Of a single rollout, too.
    model.learn(32)
    assert model.prediction_optimizer.param_groups[0]["lr"] == pytest.approx(0.05)
