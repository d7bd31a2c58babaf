"""Faults on purpose, in real processes on servers of their own: `make chaos`, and short forms in the suite."""
