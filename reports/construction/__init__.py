"""The construction audit of a release, and what experts flagged as leaks."""
