"""The answers in plain Python, to hold the compiled ones against."""

from collections import Counter


def cats_and_dogs(guess, secret):
    dogs = sum(a == b for a, b in zip(guess, secret, strict=True))
    common = sum((Counter(guess) & Counter(secret)).values())
    return common - dogs, dogs


def matches(guess, secret):
    return (sum(a == b for a, b in zip(guess, secret, strict=True)),)
