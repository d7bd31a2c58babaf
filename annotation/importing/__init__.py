"""Importing grades and decisions that were made elsewhere."""
