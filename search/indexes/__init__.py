"""Indexes: built from a corpus by a recipe, opened once in each process, retired."""
