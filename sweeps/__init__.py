"""Runs on Ray Tune: a sweep file becomes a ``tune.Tuner``; a trial is a run of ``train.py``."""
