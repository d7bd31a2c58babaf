"""Checks of a release: which of its texts a corpus has already, and what somebody decided about each."""
