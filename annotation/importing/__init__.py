"""Grades and decisions that were given elsewhere."""
