"""The letter posterior: prior, letter models and look-ahead."""
