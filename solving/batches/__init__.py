"""Batches: the waiting questions of a paused run as a file for a provider, and its results settled like replies."""
