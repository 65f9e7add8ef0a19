"""TextHangman as an environment of OpenEnv, served by ``uvicorn examples.openenv_env:app``."""

from openenv.core.env_server import Action, Environment, Observation, State, create_app

from hangman_lab.envs import TextHangman


class Reply(Action):
    """What a model says."""

    text: str


class Answer(Observation):
    """What the game says."""

    text: str
    won: bool
    valid: bool
    wrong_guesses: int


class HangmanEnvironment(Environment):
    """One session: a game at a time."""

    SUPPORTS_CONCURRENT_SESSIONS, state = True, State()

    def reset(self, seed=None, episode_id=None, split="train", **options):
        """Start the game of a seed."""
        self.game, self.state = TextHangman(split=split), State(episode_id=episode_id)
        text, info = self.game.reset(seed=seed)
        return Answer(text=text, **info)

    def step(self, action, timeout_s=None, **options):
        """Play a reply."""
        text, reward, done, _, info = self.game.step(action.text)
        self.state.step_count += 1
        return Answer(text=text, reward=reward, done=done, **info)


app = create_app(HangmanEnvironment, Reply, Answer, env_name="hangman", max_concurrent_envs=64)
