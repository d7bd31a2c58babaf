"""Rendered texts: stored by hash, rendered by workers, read by requests."""
