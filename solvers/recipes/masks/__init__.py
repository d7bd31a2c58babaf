"""Masked formulas restored, in one object or in prose with an extraction of its own."""
