"""Check guessers against literal transcriptions of their sources, which play one word at a time.

The transcriptions follow the sources' own steps, with strings, lists and regular expressions. They
are what the benchmark of the agents is timed against; run alone, this file prints the share of the
states in which the readings noted in the agents' docstrings change the letter, and what the beam of
the n-gram posterior changes.

    python benchmarks/literal_guessers.py --words FILE
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from agents import make_agent
from agents.decomposition import DecompositionAgent
from agents.ngram_posterior import NgramPosteriorAgent
from agents.smoothed_ngrams import SmoothedNgrams
from envs.encoding import ALPHABET, BLANK, decode
from envs.hangman.observation import Observation, select
from envs.words import Split, load_word_list

# Takes the masked word, the guessed letters and the lives; returns the letters' scores.
Scorer = Callable[[str, set[str], int], dict[str, float]]


def new_letters(counts: dict[str, float], guessed: set[str]) -> dict[str, float]:
    """Return the letters with a count that have not been guessed."""
    return {k: v for k, v in counts.items() if k not in guessed and k in ALPHABET and v > 0}


def benchmark(words: Sequence[str], once_a_word: bool = False, exclude: bool = False) -> Scorer:
    """Source 000, section 1: match the masked word, count, and fall back to the whole list."""
    units = [set(word) for word in words] if once_a_word else words
    overall = Counter(letter for unit in units for letter in unit)

    def score(shown: str, guessed: set[str], lives: int) -> dict[str, float]:
        wrong = guessed - set(shown)
        for not_behind_blanks in (guessed, wrong) if exclude else (set(),):
            blank = f"[^{''.join(sorted(not_behind_blanks))}]" if not_behind_blanks else "."
            pattern = re.compile(shown.replace("_", blank))
            found = [word for word in words if pattern.fullmatch(word)]
            units = [set(word) for word in found] if once_a_word else found
            scores = new_letters(Counter(letter for unit in units for letter in unit), guessed)
            if scores:
                return scores
        return new_letters(overall, guessed)

    return score


def frequency(words: Sequence[str], top_heavy: bool) -> Scorer:
    """Source 002: ``Play``'s filters, then ``OverallFrequency`` or ``TopHeavyFrequency``."""
    overall = Counter("".join(words))

    def skewed(values: list[int]) -> float:
        values.sort(reverse=True)
        return sum(values[: len(values) // 2]) / sum(values)

    def score(shown: str, guessed: set[str], lives: int) -> dict[str, float]:
        left = [word for word in words if len(word) == len(shown)]
        for letter in sorted(guessed):
            places = [place for place, other in enumerate(shown) if other == letter]
            if places:
                left = [word for word in left if all(word[place] == letter for place in places)]
            else:
                left = [word for word in left if word.find(letter) == -1]
        if top_heavy:
            highest, scores = -1.0, {}
            for place in (place for place, letter in enumerate(shown) if letter == "_"):
                counts = new_letters(Counter(word[place] for word in left), guessed)
                skew = skewed(list(counts.values())) if counts else -1.0
                if skew > highest:
                    highest, scores = skew, counts
        else:
            scores = new_letters(Counter("".join(left)), guessed)
        return scores or new_letters(overall, guessed)

    return score


def ngram(words: Sequence[str]) -> Scorer:
    """Source 000, section 2, with counters in the place of NLTK."""
    counts: dict[str, Counter] = {}
    for word in words:
        for start in range(len(word)):
            for stop in range(start + 1, min(start + 5, len(word)) + 1):
                counts.setdefault(word[start : stop - 1], Counter())[word[stop - 1]] += 1
    totals = {context: sum(after.values()) for context, after in counts.items()}
    by_frequency = benchmark(words)

    def score(shown: str, guessed: set[str], lives: int) -> dict[str, float]:
        if lives > 2 and sum(letter != "_" for letter in shown) < len(shown) / 2:
            return by_frequency(shown, guessed, lives)
        scores = {}
        for letter in ALPHABET:
            if letter in guessed:
                continue
            scores[letter] = 0.0
            for order, weight in enumerate((0.1, 0.2, 0.2, 0.25, 0.2), 1):
                runs = [shown[i : i + order] for i in range(len(shown) - order + 1)]
                runs = [run.replace("_", letter) for run in runs if run.count("_") == 1]
                if runs:
                    found = [
                        counts[run[:-1]][run[-1]] / totals[run[:-1]] if run[:-1] in counts else 0.0
                        for run in runs
                    ]
                    scores[letter] += weight * sum(found) / len(found)
        return scores

    return score


def decomposition(words: Sequence[str], overlapping: bool = True) -> Scorer:
    """Source 004, by regular expressions; without ``overlapping``, as ``findall`` has it."""
    overall = Counter("".join(words))
    full = ["_" + word + "_" for word in words]

    def pieces(pattern: str, word: str) -> list[str]:
        return re.findall(f"(?=({pattern}))" if overlapping else pattern, word)

    def score(shown: str, guessed: set[str], lives: int) -> dict[str, float]:
        pattern = shown.replace("_", ".")
        wrong = guessed - set(shown)
        current: list[str] = []
        few_shown = sum(letter != "_" for letter in shown) < 0.3 * len(shown)
        for word in words:
            if 0.58 * len(shown) < len(word) < len(shown):
                masked = "".join(letter if letter in guessed else "." for letter in word)
                if not wrong & set(word) and masked in pattern:
                    current.append(word)
            elif len(word) >= len(shown):
                if not few_shown:
                    current += pieces(pattern, word)
                elif re.search(f"^{pattern}|{pattern}$", word):
                    current.append(word)
        scores = new_letters(Counter("".join(current)), guessed)
        if scores:
            return scores
        counts: Counter = Counter()
        marked = "_" + pattern + "_"
        for place in (place for place, letter in enumerate(marked) if letter == "."):
            start = max(place - 2, 0)
            window = marked[start : start + 5].replace(".", "[a-z]")
            for word in full:
                counts.update("".join(pieces(window, word)))
        return new_letters(counts, guessed) or new_letters(overall, guessed)

    return score


def ngram_posterior(agent: NgramPosteriorAgent, words: Sequence[str]) -> Scorer:
    """Sum the model over every path of contexts, one masked letter after the other, unpruned."""
    model = SmoothedNgrams(words, agent.order, agent.discount_scale)

    def mass(shown: str, allowed: str) -> float:
        paths = {model.start: 1.0}
        for place in shown:
            following: dict[int, float] = {}
            for state, value in paths.items():
                for letter in allowed if place == "_" else place:
                    k = ALPHABET.index(letter)
                    after = int(model.next_state[state, k])
                    following[after] = following.get(after, 0.0) + value * float(
                        model.probabilities[state, k]
                    )
            paths = following
        return sum(value * float(model.probabilities[s, -1]) for s, value in paths.items())

    def score(shown: str, guessed: set[str], lives: int) -> dict[str, float]:
        left = "".join(letter for letter in ALPHABET if letter not in guessed)
        pattern = re.compile(shown.replace("_", f"[{left}]"))
        fitting = [word for word in words if pattern.fullmatch(word)]
        total = mass(shown, left)
        weight = agent.prior_weight
        scores = {}
        for letter in left:
            by_model = 1 - mass(shown, left.replace(letter, "")) / total
            having = sum(letter in word for word in fitting)
            scores[letter] = (having + weight * by_model) / (len(fitting) + weight)
        return scores

    return score


def states_of_play(agent: object, words: Sequence[str], seed: int = 0) -> Observation:
    """Return one state a word: what the agent sees before a turn drawn at random."""
    from envs.encoding import encode_words
    from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames

    encoded = encode_words(words)
    games = HangmanGames(len(words), encoded.width, DEFAULT_MAX_WRONG)
    games.start(slice(None), encoded)
    turns = [games.observe()]
    alive = [np.ones(len(words), dtype=bool)]
    while not games.over.all():
        games.guess(agent.act(games.observe()))
        turns.append(games.observe())
        alive.append(~games.over)
    rng = np.random.default_rng(seed)
    chosen = (rng.random(len(words)) * np.sum(alive, axis=0)).astype(int)
    rows = [select(turns[turn], slice(k, k + 1)) for k, turn in enumerate(chosen)]
    return Observation(**{name: np.concatenate([row[name] for row in rows]) for name in turns[0]})


def read_state(observations: Observation, row: int) -> tuple[str, set[str], int]:
    """Return one state as the transcriptions take it."""
    guessed = {ALPHABET[k] for k in np.flatnonzero(observations["guessed"][row])}
    return decode(observations["word"][row]), guessed, int(observations["lives"][row])


def best(scores: dict[str, float]) -> str:
    """Return the letter with the highest score, the first in the alphabet among equals."""
    return min(scores, key=lambda letter: (-scores[letter], letter))


def print_loss_of_beam(train: Sequence[str], valid: Sequence[str], max_blanks: int = 5) -> None:
    """Print how the n-gram posterior's probabilities change with its beam.

    One state of each of about 1,000 valid games. Without a beam the sum takes long where many
    places are blank, so states with more blanks are left out.
    """
    agent = NgramPosteriorAgent().fit(train)
    beams = (agent.beam / 10, agent.beam, agent.beam * 10)
    states = states_of_play(agent, valid[:: max(1, len(valid) // 1000)])
    blanks = (states["word"] == BLANK).sum(axis=1)
    states = select(states, np.flatnonzero(blanks <= max_blanks))
    print(f"ngram-posterior, {len(states['word'])} states with up to {max_blanks} blanks:")
    agent.beam = 0.0
    exact = agent.letter_probabilities(states)
    for agent.beam in beams:
        scores = agent.letter_probabilities(states)
        largest = np.abs(scores - exact).max(axis=1)
        same = int((scores.argmax(axis=1) == exact.argmax(axis=1)).sum())
        print(
            f"beam {agent.beam:g}: {same} letters the same; largest difference of a state's "
            f"probabilities: mean {largest.mean():.3f}, median {np.median(largest):.3f}, "
            f"highest {largest.max():.3f}"
        )


def main() -> None:
    """Print how often readings of decomposition and the posterior's beam change the letter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="word list, one word per line (default: web2)")
    parser.add_argument("--states", type=int, default=40)
    options = parser.parse_args()
    parts = Split().divide(load_word_list(options.words))
    agent = make_agent("decomposition").fit(parts["train"])
    states = states_of_play(agent, parts["valid"][:: len(parts["valid"]) // options.states])
    letters = [ALPHABET[k] for k in agent.act(states)]
    literal = decomposition(parts["train"], overlapping=False)
    same = sum(
        letter == best(literal(*read_state(states, row))) for row, letter in enumerate(letters)
    )
    print(f"decomposition, pieces as findall has them: {same} of {len(letters)} letters the same")
    other = DecompositionAgent(exact_elements=False).fit(parts["train"])
    same = int((agent.act(states) == other.act(states)).sum())
    print(f"decomposition, loose elements: {same} of {len(letters)} letters the same")
    print_loss_of_beam(parts["train"], parts["valid"])


if __name__ == "__main__":
    main()
