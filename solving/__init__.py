"""Solving: systems that are run here, step by step through the queue of record, until their outputs are published."""
