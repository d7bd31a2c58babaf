"""Grading one item: the page as values, checked answers, drafts and immutable grades."""
