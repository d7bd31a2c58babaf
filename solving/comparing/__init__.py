"""Comparing runs of one release: outcomes by problem, and what they would have come to with less."""
