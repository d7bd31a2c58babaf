"""Frozen tuples: what a published comparison holds fixed."""
