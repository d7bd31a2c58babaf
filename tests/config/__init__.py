"""Tests of what the platform stands on: checks at the start, logs, measures for monitoring."""
