"""Frozen score artifacts: made, verified by recomputing, compared."""
