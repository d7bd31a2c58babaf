"""Means, shares and rankings of systems, and their differences."""
