"""Raters: their errors and severity, votes, anchoring, blinding, signs of careless work."""
