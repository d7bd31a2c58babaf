"""Tests of what the platform rests on: checks at the start, logs, measures for monitoring."""
