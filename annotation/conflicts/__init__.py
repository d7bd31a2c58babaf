"""Conflicts of interest: declared, decided, and turned into items that a reviewer must not get."""
