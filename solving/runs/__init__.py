"""Runs of solvers: begun, steered, advanced step by step by workers, counted."""
