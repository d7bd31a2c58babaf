"""Scores: their inputs, the document, its page and text."""
