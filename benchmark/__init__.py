"""Releases, instances, systems, runs and outputs; importing and freezing; one folder per protocol."""
