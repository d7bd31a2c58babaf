"""Tracks and conditions of a release side by side."""
