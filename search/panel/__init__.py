"""Searching on the grading page: a panel next to the text, as a fragment."""
