"""Raters as such: their errors and severity, votes, anchoring, blinding, signs of careless work."""
