"""Asking reviewers which system they think wrote an answer."""
