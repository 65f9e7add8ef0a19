"""Hangman as text, compared with the environment of letters and with the rules in words."""

import pickle
import warnings
from itertools import compress

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs import TextHangman
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.rewards import HANGMAN_REWARDS

WORDS = ("a", "ox", "tee", "eel", "noon", "neon", "apple", "apply", "banana")
COSTS = st.sampled_from(["life", "free"])
LETTERS = st.sampled_from(ALPHABET)
# Letters and words of the list occur in most of these replies, as guesses or not.
REPLIES = st.one_of(
    st.text(),
    LETTERS.map("[{}]".format),
    st.sampled_from(WORDS).map("[{}]".format),
    st.text("[] aenE\n", max_size=20),
    st.lists(
        st.sampled_from(["[", "]", "e", "N", "noon", "apple", " ", "\n", "\u017f", "\u212a"])
    ).map("".join),
)


def board_of(text):
    """The word, the wrong guesses and the lives on the last line of a text."""
    word, wrong, lives = text.splitlines()[-1].split(" | ")
    wrong = wrong.removeprefix("wrong: ").replace("-", "")
    return word.replace(" ", ""), wrong.split(), int(lives.removeprefix("lives: "))


@pytest.mark.parametrize(
    "options", [{}, {"max_wrong": 1, "reward": "dense"}, {"invalid_reply": "free", "max_length": 3}]
)
def test_the_checker_of_gymnasium_is_content(options):
    spec = gym.envs.registration.EnvSpec("TextHangman-v0", entry_point=TextHangman)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(spec, words=WORDS, render_mode="ansi", **options).unwrapped
        check_env(env)
    check_environments_match(env, pickle.loads(pickle.dumps(env)), num_steps=40)


@given(st.integers(0, 2**32), COSTS, COSTS, st.integers(1, 26), st.lists(REPLIES, max_size=40))
def test_any_replies_are_answered_by_the_rules(seed, repeated, invalid, max_wrong, replies):
    env = TextHangman(
        WORDS, max_wrong=max_wrong, reward="dense", repeated_guess=repeated, invalid_reply=invalid
    )
    first = text, info = env.reset(seed=seed)
    before = shown, wrong, lives = board_of(text)
    assert before == ("_" * len(env.secret), [], max_wrong)
    assert info == {"won": False, "valid": True, "wrong_guesses": 0}
    assert ("a repeated guess" in text) is (repeated == "life")
    assert ("a reply without a possible guess" in text) is (invalid == "life")
    for reply in replies:
        text, paid, terminated, truncated, info = env.step(reply)
        answer, _ = text.splitlines()
        shown, wrong, lives = board_of(text)
        assert text in env.observation_space
        # A valid guess uncovers places, or is a new wrong one; others cost what the arguments say.
        uncovered, lost = before[0].count("_") - shown.count("_"), before[2] - lives
        assert info["valid"] == (uncovered > 0 or wrong[:-1] == before[1] != wrong)
        cost = repeated if "was guessed before." in answer else invalid
        assert lost == (len(wrong) - len(before[1]) if info["valid"] else cost == "life")
        guessed = {*compress(ALPHABET, ~env.action_masks())}
        assert shown == "".join(each if each in guessed else "_" for each in env.secret)
        assert guessed == {*shown, *wrong} & {*ALPHABET}
        assert info["won"] == (shown == env.secret)
        assert info["wrong_guesses"] == len(wrong)
        assert (terminated, truncated) == (info["won"] or lives == 0, False)
        assert paid == pytest.approx(0.1 * uncovered - 0.2 * lost + info["won"] - (lives == 0))
        if terminated:
            with pytest.raises(ResetNeeded):
                env.step(reply)
            break
        before = shown, wrong, lives
    # Nothing of a game is left after a reset.
    assert env.reset(seed=seed) == first


@given(
    st.integers(0, 2**32),
    COSTS,
    st.integers(1, 26),
    st.sampled_from([*HANGMAN_REWARDS]),
    st.lists(LETTERS, min_size=30, max_size=60),
)
def test_games_of_letters_are_those_of_the_environment(
    real_words, seed, repeated_guess, max_wrong, reward, letters
):
    env, twin = (
        kind(real_words, max_wrong=max_wrong, reward=reward, repeated_guess=repeated_guess)
        for kind in (TextHangman, HangmanEnv)
    )
    env.reset(seed=seed)
    twin.reset(seed=seed)
    for letter in letters:
        assert env.secret == twin.secret
        _, *outcome, info = env.step(f"[{letter}]")
        _, *expected, expected_info = twin.step(ALPHABET.index(letter))
        assert outcome == expected
        assert info["won"] == expected_info["won"]
        assert env.action_masks().tolist() == twin.action_masks().tolist()
        if outcome[1]:
            env.reset()
            twin.reset()


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("[E]", "e is right."),
        ("[ e ]", "e is right."),
        ("<think>[a], or [ample]?</think> **[e]**", "e is right."),
        ("[e] is my guess, not [a letter].", "e is right."),
        ("[E]<think>[a]", "e is right."),
        ("<think> maybe [e]", "No guess in square brackets."),
        ("It may be [e]. </think>", "No guess in square brackets."),
        ("<think>[a]</think>[e]<thinking>[l]", "e is right."),
        ("<seed:think>[a]</seed:think>[e]", "e is right."),
        ("[THINK][a]", "No guess in square brackets."),
        ("[THINK][a][/THINK][e]", "e is right."),
        ("◁think▷[a]◁/think▷[e]", "e is right."),
        ("<|begin_of_thought|>[a]<|end_of_thought|>[e]", "e is right."),
        ("<|channel|>analysis<|message|>[a]", "No guess in square brackets."),
        ("<|channel|>analysis<|message|>[a]<|channel|>final<|message|>[e]", "e is right."),
        ("<|channel>thought[a]<channel|>[e]", "e is right."),
        ("[think]", "think does not fit."),
        (TextHangman(WORDS).reset()[0], "No guess in square brackets."),
        ("[a] [e", "a is right."),
        ("[z]", "z was guessed before."),
        ("[x]", "x is wrong. You lost."),
        ("[apply]", "apply was guessed before."),
        ("[appal]", "appal is wrong. You lost."),
        ("[plea][Apple]", "apple is right. You won."),
        ("[happy]", "happy does not fit."),
        ("[upset]", "upset does not fit."),
        ("[appap]", "appap does not fit."),
        ("[" + "a" * 10_000 + "]", "The word has 5 letters."),
        ("e", "No guess in square brackets."),
        ("[]", "No guess in square brackets."),
        ("[apple pie]", "No guess in square brackets."),
        ("[é] [\u017f] [1]", "No guess in square brackets."),
        ("[[" * 10_000, "No guess in square brackets."),
    ],
)
def test_the_last_guess_of_a_reply_counts_and_a_word_must_fit(reply, answer):
    env = TextHangman(WORDS, max_wrong=3, repeated_guess="free", invalid_reply="free")
    env.reset(options={"word": "apple"})
    for earlier in ("[z]", "[apply]", "[p]"):
        board = env.step(earlier)[0].splitlines()[1]
    assert board == "_ p p _ _ | wrong: z apply | lives: 1"
    assert env.step(reply)[0].splitlines()[0] == answer


@given(
    st.lists(
        st.sampled_from(["[q]", "[apple]", "e", "\n", "<b>", "[x", TextHangman(WORDS).reset()[0]])
    ),
    st.sampled_from(["think", "THINKING", "thought", "reasoning", "seed:think"]),
    st.lists(REPLIES),
    st.booleans(),
)
def test_thoughts_and_echoes_are_no_guesses(thoughts, tag, after, is_closed):
    env, twin = (TextHangman(WORDS) for _ in range(2))
    for each in (env, twin):
        each.reset(options={"word": "apple"})
    thought = f"<{tag}>{''.join(thoughts)}"
    spoken = "".join(after) if is_closed else ""
    reply = f"{thought}</{tag}>{spoken}" if is_closed else f"{spoken}{thought}"
    assert env.step(reply) == twin.step(spoken)


def test_an_evil_host_says_that_a_word_is_wrong_while_another_fits():
    env = TextHangman(["bat", "cat", "hat", "oxen"], host="evil", max_wrong=9)
    env.reset(options=None, seed=0)
    while len(env.secret) != 3:
        env.reset()
    answers = [env.step(reply)[0].splitlines()[0] for reply in ("[bat]", "[a]", "[c]", "[hat]")]
    assert answers == ["bat is wrong.", "a is right.", "c is wrong.", "hat is right. You won."]
    with pytest.raises(InputError, match="the word is the host's choice"):
        env.reset(options={"word": "cat"})


def test_a_reply_is_a_string_and_its_answer_is_printed(capsys):
    env = TextHangman(WORDS, render_mode="human")
    env.reset(options={"word": "ox"})
    with pytest.raises(InputError, match="an object of type int is not a str"):
        env.step(3)
    env.step("[o]")
    assert capsys.readouterr().out.endswith("o is right.\no _ | wrong: - | lives: 6\n")
