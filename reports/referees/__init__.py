"""Referee reports in Markdown and LaTeX, and tables of labels and comments, imported in the browser."""
