"""Scores of systems next to scores that others published of them."""
