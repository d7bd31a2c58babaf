"""Coefficients of agreement, one by one and as a bundle."""
