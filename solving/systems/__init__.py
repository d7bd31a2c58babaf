"""Solvers: their versions, and making a new one from the settings of a recipe."""
