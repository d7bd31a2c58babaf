"""Releases mined from LaTeX sources: what a recipe takes from a paper, and why it leaves the rest."""
