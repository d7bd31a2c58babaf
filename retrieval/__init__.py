"""Searching statements by words, meaning and formulas: files that can be frozen, integer scores. Knows no Django."""
