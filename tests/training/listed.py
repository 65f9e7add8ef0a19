"""Reading back which words a posterior knows, for tests of what it was fitted on."""

from hangman_lab.envs.encoding import decode


def known_words(posterior):
    """The words that the posterior lists as known."""
    words, is_known = posterior.prior.listed[:2]
    return {decode(codes) for codes in words.codes[is_known]}


def candidates(posterior):
    """The words that the posterior lists without knowing them."""
    words, is_known = posterior.prior.listed[:2]
    return {decode(codes) for codes in words.codes[~is_known]}
