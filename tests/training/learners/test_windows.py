"""PPO alone: the words of its games, and its options."""

import pytest

from hangman_lab.envs.encoding import ALPHABET


def test_it_plays_all_train_words(make_model):
    env = make_model(tuple(ALPHABET), "learner.num_envs=512").env
    env.reset()
    assert set(env.get_attr("secret")) == {*ALPHABET}


def test_the_model_has_the_options_of_the_config(make_model, few_words):
    options = """
        seed=7 discount=0.9 learner.num_envs=4 learner.rollout_steps=8 learner.batch_size=16
        learner.epochs=3 learner.gae_lambda=0.8 learner.entropy_coefficient=0.02 learner.context=5
        learner.auxiliary_learning_rate=0.05 learner.steps=32
    """
    model = make_model(few_words, options)
    assert (model.seed, model.gamma, model.gae_lambda, model.ent_coef) == (7, 0.9, 0.8, 0.02)
    assert (model.n_envs, model.n_steps, model.batch_size, model.n_epochs) == (4, 8, 16, 3)
    assert model.policy.module.sizes == {"context": 5, "log_rows": 9}
    # Of a single rollout, too.
    model.learn(32)
    assert model.auxiliary_optimizer.param_groups[0]["lr"] == pytest.approx(0.05)
