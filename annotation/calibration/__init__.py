"""Calibration rounds: items that several reviewers answer blind and then discuss."""
