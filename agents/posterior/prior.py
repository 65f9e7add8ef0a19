"""The prior over secret words."""

# The probability that the secret is one of the words that a run was fitted on.
DEFAULT_KNOWN = 0.5
