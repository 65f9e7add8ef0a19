"""Learners: what a run fits, trains and plays, by ``learner.kind`` of its config."""
