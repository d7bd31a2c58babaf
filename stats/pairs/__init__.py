"""Comparisons of systems two at a time: win rates, strengths, position bias."""
