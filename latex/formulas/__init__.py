"""Formulas: found in a text, converted for KaTeX, typeset for paper."""
