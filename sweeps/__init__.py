"""Sweeps on Ray Tune. A trial is a run of ``train.py``."""
